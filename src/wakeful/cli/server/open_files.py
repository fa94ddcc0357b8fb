"""The limit on open files and connections."""

import logging
import resource

# Every stream takes one; shells usually allow 1024.
_WANTED = 65_536

logger = logging.getLogger(__name__)


def allow_many_open_files() -> None:
    """Raise the limit as far as this user may. If that fails, log it: connections beyond the limit are refused."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _WANTED if hard == resource.RLIM_INFINITY else min(_WANTED, hard)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError) as error:
        logger.warning("no more than %d files can be open at the same time: %s", soft, error)
