"""How many files and connections the server may have open."""

import logging
import resource

# Every stream is one; shells usually allow 1024.
_WANTED = 65_536

logger = logging.getLogger(__name__)


def allow_many_open_files() -> None:
    """As far as this user may. Where that is not enough, connections are refused at some point, and the log says so."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _WANTED if hard == resource.RLIM_INFINITY else min(_WANTED, hard)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError) as error:
        logger.warning("no more than %d files can be open at the same time: %s", soft, error)
