"""What a server that was killed has left running although it was to end with that server."""

import logging
from signal import SIGKILL

from wakeful.tools.processes.folder import ProcessFolder
from wakeful.tools.processes.kernel.grip import end_rest_of_group, grip_on
from wakeful.tools.processes.kernel.identity import Identity, identity_of

# Such a process is started once: if that fails, it is not tried again.
ATTEMPT = 1

logger = logging.getLogger(__name__)


def is_alive(server: Identity) -> bool:
    return identity_of(server.pid) == server


def clear_away(folder: ProcessFolder) -> None:
    """End it with everything in its group, or see to it that it never starts, and remove its files."""
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
