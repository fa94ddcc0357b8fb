"""Tries again what has failed, after pauses that grow from a second to a minute."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from wakeful.gateway.messaging.platform import NotTaken

LONGEST_PAUSE_SECONDS = 60.0

T = TypeVar("T")

logger = logging.getLogger(__name__)


def pause_after(failures: int) -> float:
    """Return how many seconds to wait after so many failures in a row."""
    return min(2.0 ** min(failures - 1, 10), LONGEST_PAUSE_SECONDS)


async def until_done(do: Callable[[], Awaitable[T]], failure: str, pause: float) -> T:
    """Try again after each failure, first after `pause` seconds. `failure` is what the log says."""
    while True:
        try:
            return await do()
        except Exception as error:
            wait = max(pause, error.seconds) if isinstance(error, NotTaken) else pause
            logger.warning("%s; again in %g s", failure, wait, exc_info=error)
        await asyncio.sleep(wait)
        pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
