"""What tests of the Telegram adapter need: an ingress that keeps what it is handed, and a line that stands."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from tests.patience import PATIENCE
from tests.platforms.recording_ingress import RecordingIngress
from tests.platforms.telegram_server import TOKEN, TelegramServer
from wakeful.gateway.messaging.settings import PlatformAccess
from wakeful.gateway.platforms.telegram.adapter import TelegramPlatform, TelegramSettings
from wakeful.model.messaging.post import Post, PostKind, new_post_id
from wakeful.model.session import Address, Sender

COMMANDS = [("new", "Begin a new conversation"), ("stop", "Stop what is running")]


def platform_at(url: str, *, token: str = TOKEN, timeout: float = PATIENCE, **parts: Any) -> TelegramPlatform:
    settings = TelegramSettings(PlatformAccess(url, token), timeout, retry_seconds=0.01)
    return TelegramPlatform(settings, COMMANDS, **{"recall": _nothing, **parts})


async def _nothing() -> list[tuple[str, str]]:
    return []


@asynccontextmanager
async def open_platform(server: TelegramServer, **parts: Any) -> AsyncIterator[TelegramPlatform]:
    platform = platform_at(server.url, **parts)
    try:
        async with asyncio.timeout(PATIENCE):
            yield platform
    finally:
        await platform.close()


@asynccontextmanager
async def receiving(platform: TelegramPlatform, ingress: RecordingIngress) -> AsyncIterator[str]:
    """Yields the name of the bot, once the line stands."""
    names: asyncio.Queue[str] = asyncio.Queue()
    job = asyncio.create_task(platform.run(ingress, names.put_nowait))
    # A line that breaks before it stands fails the test at once.
    job.add_done_callback(lambda _: names.put_nowait(""))
    try:
        name = await names.get()
        if not name:
            await job
        yield name
    finally:
        job.cancel()
        with suppress(asyncio.CancelledError):
            await job


def a_post(chat_id: int, *, thread: int | None = None, message_id: str = "", **values: Any) -> Post:
    address = Address("telegram", str(chat_id), "" if thread is None else str(thread), Sender("55"))
    post_id = new_post_id()
    return Post(post_id, post_id, address, PostKind.ANSWER, "words", message_id=message_id, **values)
