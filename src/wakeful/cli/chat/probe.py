"""Checks whether the server still answers: a stream reconnects by itself and does not report a cut."""

import asyncio
from collections.abc import Callable

from wakeful.cli.chat.standing import Standing
from wakeful.cli.client import Client, RequestRefused, ServerGone

_SECONDS = 2.0


async def keep_probing(client: Client, standing: Standing, on_change: Callable[[], None]) -> None:
    while True:
        await asyncio.sleep(_SECONDS)
        is_live = await _is_answered(client)
        if is_live != standing.is_live:
            standing.is_live = is_live
            on_change()


async def _is_answered(client: Client) -> bool:
    try:
        await client.get("/health")
    except (ServerGone, RequestRefused):
        return False
    return True
