"""Ends processes that should have ended with their server, but whose server was killed."""

import logging
from signal import SIGKILL

from wakeful.tools.processes.folder import ProcessFolder
from wakeful.tools.processes.kernel.grip import end_rest_of_group, grip_on
from wakeful.tools.processes.kernel.identity import Identity, identity_of

# Such a process is started once and never again.
ATTEMPT = 1

logger = logging.getLogger(__name__)


def is_alive(server: Identity) -> bool:
    return identity_of(server.pid) == server


def clear_away(folder: ProcessFolder) -> None:
    """Kill everything in the group of the process, or forbid its start, and remove its files."""
    start = folder.started(ATTEMPT)
    if start == "not_started" and not folder.fence(ATTEMPT):
        start = folder.started(ATTEMPT)
    if isinstance(start, Identity):
        logger.info("ending a command whose server is gone: process group %d", start.pid)
        if grip := grip_on(start):
            grip.signal_group(SIGKILL)
            grip.release()
        end_rest_of_group(start)
    folder.remove()
