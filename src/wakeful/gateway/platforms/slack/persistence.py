"""Doing something until it is done."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from wakeful.gateway.messaging.platform import NotTaken

_LONGEST_PAUSE_SECONDS = 60.0

T = TypeVar("T")

logger = logging.getLogger(__name__)


async def until_done(do: Callable[[], Awaitable[T]], failure: str, pause: float) -> T:
    """Try again after each failure, with pauses that grow. `failure` is what the log says."""
    while True:
        try:
            return await do()
        except Exception as error:
            wait = max(pause, error.seconds) if isinstance(error, NotTaken) else pause
            logger.warning("%s; again in %g s", failure, wait, exc_info=error)
        await asyncio.sleep(wait)
        pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)
