"""Builds the doors of the messaging platforms that the settings name, and opens them."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

from starlette.routing import Route

from wakeful.building.engine import Running
from wakeful.building.loading import load
from wakeful.config.config import Config
from wakeful.config.values import OPERATOR
from wakeful.engine.clock import SystemClock
from wakeful.errors import ConfigError
from wakeful.gateway.messaging.door import PlatformDoor
from wakeful.gateway.messaging.door_store import DoorStore
from wakeful.gateway.messaging.doors import Doors
from wakeful.gateway.messaging.inbound.commands import COMMANDS, Commands
from wakeful.gateway.messaging.inbound.ingress import ChatIngress
from wakeful.gateway.messaging.inbound.people import People
from wakeful.gateway.messaging.inbound.sessions import NewSessions
from wakeful.gateway.messaging.needs import PlatformNeeds
from wakeful.gateway.messaging.platform import Platform
from wakeful.gateway.platforms.chat import CHAT_ADAPTERS
from wakeful.model.messaging.door import DoorStatus

# Loaded only where their platform has a token: the packages of two of them are extras.
_BUILDERS = {
    "telegram": "wakeful.gateway.platforms.telegram.adapter:build_telegram",
    "discord": "wakeful.gateway.platforms.discord.adapter:build_discord",
    "slack": "wakeful.gateway.platforms.slack.adapter:build_slack",
}


@asynccontextmanager
async def open_doors(config: Config, running: Running) -> AsyncIterator[Doors]:
    """Open the doors that the settings name; nothing waits for a platform to answer."""
    people = People(running.store, config.messaging.doors)
    routes: list[Route] = []
    doors = await _build_doors(config, running, people, routes)

    def statuses() -> dict[str, DoorStatus]:
        return {name: door.status for name, door in doors.items()}

    async with AsyncExitStack() as ending:
        for door in doors.values():
            await ending.enter_async_context(door.at_work())
        postmen = {name: door.outbox.postman.job for name, door in doors.items()}
        yield Doors(people, statuses, postmen, routes)


async def _build_doors(
    config: Config, running: Running, people: People, routes: list[Route]
) -> dict[str, PlatformDoor]:
    engine, store, settings = running.engine, running.store, config.messaging
    commands = Commands(engine, store, running.providers.resolve, config.model, config.engine.permission_mode)
    new = NewSessions(OPERATOR, config.model, config.workspace)
    doors = {}
    for name in settings.doors:
        kept = DoorStore(name, node=engine.node, store=store)
        platform = build_platform(name, await _needs(name, config, kept, routes))
        door = CHAT_ADAPTERS[name].door()
        make_ingress = partial(ChatIngress, engine, store, door, settings, people, commands, new, running.attachments)
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


async def _needs(name: str, config: Config, kept: DoorStore, routes: list[Route]) -> PlatformNeeds:
    return PlatformNeeds(
        access=config.messaging.access[name],
        timeout=config.messaging.send_timeout,
        public_url=config.public_url,
        commands=list(COMMANDS.items()),
        chats=kept.chats,
        recall=kept.recall,
        secret=await kept.secret(),
        memory=kept.memory,
        routes=routes,
    )
