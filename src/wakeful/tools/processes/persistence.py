"""Retries calls of the store that must not get lost until one succeeds."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from wakeful.errors import StoreError

T = TypeVar("T")

_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 5.0

logger = logging.getLogger(__name__)


async def until_written(act: Callable[[], Awaitable[T]]) -> T:
    pause = _FIRST_PAUSE
    while True:
        try:
            return await act()
        except StoreError as error:
            logger.warning("the store failed, trying again in %g s: %s", pause, error)
        await asyncio.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)
