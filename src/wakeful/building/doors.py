"""Builds the doors of the messaging platforms that the settings name, and opens them."""

import secrets
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any

from starlette.routing import Route

from wakeful.building.loading import load
from wakeful.config.config import Config
from wakeful.config.values import OPERATOR
from wakeful.engine.attachments.desk import AttachmentDesk
from wakeful.engine.clock import SystemClock
from wakeful.engine.engine import Engine
from wakeful.errors import ConfigError
from wakeful.gateway.messaging.door import PlatformDoor
from wakeful.gateway.messaging.doors import Doors
from wakeful.gateway.messaging.inbound.commands import COMMANDS, Commands
from wakeful.gateway.messaging.inbound.ingress import ChatIngress
from wakeful.gateway.messaging.inbound.people import People
from wakeful.gateway.messaging.inbound.sessions import NewSessions
from wakeful.gateway.messaging.needs import DoorMemory, PlatformNeeds
from wakeful.gateway.messaging.platform import Platform
from wakeful.gateway.platforms.chat import CHAT_ADAPTERS
from wakeful.model.messaging.chat import Chat
from wakeful.model.messaging.door import DoorStatus
from wakeful.store.base import Store, Transaction

# Loaded only where their platform has a token: the packages of two of them are extras.
_BUILDERS = {
    "telegram": "wakeful.gateway.platforms.telegram.adapter:build_telegram",
    "discord": "wakeful.gateway.platforms.discord.adapter:build_discord",
    "slack": "wakeful.gateway.platforms.slack.adapter:build_slack",
}
_RECALLED = 1000


@asynccontextmanager
async def open_doors(
    config: Config, engine: Engine, store: Store, check_model: Callable[[str], object]
) -> AsyncIterator[Doors]:
    """Open the doors that the settings name; nothing waits for a platform to answer."""
    people = People(store, config.messaging.doors)
    routes: list[Route] = []
    doors = await _build_doors(config, engine, store, people, check_model, routes)

    def statuses() -> dict[str, DoorStatus]:
        return {name: door.status for name, door in doors.items()}

    async with AsyncExitStack() as ending:
        for door in doors.values():
            await ending.enter_async_context(door.at_work())
        postmen = {name: door.outbox.postman.job for name, door in doors.items()}
        yield Doors(people, statuses, postmen, routes)


async def _build_doors(
    config: Config,
    engine: Engine,
    store: Store,
    people: People,
    check_model: Callable[[str], object],
    routes: list[Route],
) -> dict[str, PlatformDoor]:
    settings = config.messaging
    commands = Commands(engine, store, check_model, config.model, config.engine.permission_mode)
    new = NewSessions(OPERATOR, config.model, config.workspace)
    attachments = AttachmentDesk(store, config.home, settings.attachment_bytes)
    doors = {}
    for name in settings.doors:
        platform = build_platform(name, await _needs(name, config, engine, store, routes))
        door = CHAT_ADAPTERS[name].door()
        make_ingress = partial(ChatIngress, engine, store, door, settings, people, commands, new, attachments)
        doors[name] = PlatformDoor(engine, store, platform, make_ingress, settings, SystemClock())
    return doors


def build_platform(name: str, needs: PlatformNeeds) -> Platform:
    """Raises ConfigError when the packages for a platform are not installed."""
    try:
        platform: Platform = load(_BUILDERS[name])(needs)
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"A token for {name} is set, and the package {error.name} is missing: install wakeful[{name}]."
        ) from error
    return platform


async def _needs(name: str, config: Config, engine: Engine, store: Store, routes: list[Route]) -> PlatformNeeds:
    async def chats(since: float) -> list[Chat]:
        return await store.read(lambda tx: tx.chats.of_platform(name, since))

    async def recall() -> Iterable[tuple[str, str]]:
        posts = await store.read(lambda tx: tx.posts.page(platform=name, limit=_RECALLED))
        known = [(chat.chat_id, chat.last_message_id) for chat in await chats(0.0)]
        return [*known, *((post.address.chat_id, post.message_id) for post in posts if post.message_id)]

    return PlatformNeeds(
        access=config.messaging.access[name],
        timeout=config.messaging.send_timeout,
        public_url=config.public_url,
        commands=list(COMMANDS.items()),
        chats=chats,
        recall=recall,
        secret=await store.write(partial(_secret, name)),
        memory=_memory(name, engine, store),
        routes=routes,
    )


def _memory(name: str, engine: Engine, store: Store) -> DoorMemory:
    async def read() -> dict[str, Any]:
        return await store.read(lambda tx: tx.platform_doors.memory(name))

    async def write(values: dict[str, Any]) -> None:
        async def body(tx: Transaction) -> None:
            if await tx.platform_doors.is_held_by(name, engine.node):
                await tx.platform_doors.remember(name, await tx.platform_doors.memory(name) | values)

        await store.write(body)

    return DoorMemory(read, write)


async def _secret(name: str, tx: Transaction) -> str:
    """Return the secret of a platform's door, made when it is first asked for."""
    memory = await tx.platform_doors.memory(name)
    if "secret" not in memory:
        memory["secret"] = secrets.token_urlsafe(32)
        await tx.platform_doors.remember(name, memory)
    secret: str = memory["secret"]
    return secret
