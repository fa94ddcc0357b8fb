"""A messaging door on a real engine and a real store: the platform is scripted, the agent is led."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tests.bare_engine import bare_engine
from tests.engine.kit import LedAgent, exit_of, task_for
from tests.patience import PATIENCE
from tests.unit.gateway.messaging.kit import ScriptedPlatform
from wakeful.engine.attachments.desk import AttachmentDesk
from wakeful.engine.clock import SystemClock
from wakeful.engine.engine import Engine
from wakeful.engine.ports import Clock
from wakeful.engine.settings import EngineSettings
from wakeful.errors import ConfigError
from wakeful.gateway.messaging.door import PlatformDoor
from wakeful.gateway.messaging.inbound.commands import Commands
from wakeful.gateway.messaging.inbound.ingress import ChatIngress
from wakeful.gateway.messaging.inbound.people import People
from wakeful.gateway.messaging.inbound.sessions import NewSessions
from wakeful.gateway.messaging.platform import IncomingMessage, Ingress, OfferedFile
from wakeful.gateway.messaging.settings import DoorSettings, MessagingSettings
from wakeful.model.messaging.chat import ChatKind
from wakeful.model.messaging.post import Post
from wakeful.model.session import Address, Sender
from wakeful.model.turn import Door
from wakeful.store.base import Store

DOOR = DoorSettings(allow=frozenset({"9"}), edit_seconds=0.01)


@dataclass
class Chatting:
    engine: Engine
    store: Store
    agent: LedAgent
    platform: ScriptedPlatform
    door: PlatformDoor
    people: People
    workspace: Path

    @property
    def ingress(self) -> Ingress:
        return self.door.ingress

    async def write(self, text: str, message_id: str, **where: object) -> None:
        await self.ingress.take(a_message(text, message_id, **where))  # type: ignore[arg-type]

    async def turn(self, number: int = 1) -> str:
        """Wait until so many turns have begun, and return the last one's id."""
        async with asyncio.timeout(PATIENCE):
            while len(self.agent.briefs) < number:  # noqa: ASYNC110 - the agent has no event for it
                await asyncio.sleep(0.002)
        return list(self.agent.briefs)[number - 1]

    async def spawn(self, turn_id: str, name: str) -> None:
        """Write background work of a running turn, as a tool does before it starts the process."""
        turn = self.agent.briefs[turn_id].turn
        lease = replace(turn.lease, node=self.engine.node)
        task = task_for(turn.session_id, turn.id, name, address=turn.address)
        await self.engine.tasks.begin(lease, replace(task, door=turn.door, owner="operator"))

    async def end(self, name: str, code: int = 0) -> None:
        await self.engine.tasks.finish(name, exit_of(name, code))

    async def shows(self, *texts: str, chat_id: str = "1", thread_id: str = "") -> None:
        """Wait until the chat shows exactly these messages."""
        await self.platform.until(lambda: self.platform.texts(chat_id, thread_id) == list(texts))

    async def posts(self) -> list[Post]:
        return await self.store.read(lambda tx: tx.posts.page(limit=100))


def a_message(
    text: str,
    message_id: str,
    *,
    chat_id: str = "1",
    thread_id: str = "",
    user_id: str = "9",
    kind: ChatKind = ChatKind.PRIVATE,
    attachments: Sequence[OfferedFile] = (),
    quoted: str = "",
    is_for_bot: bool = False,
    platform: str = "telegram",
) -> IncomingMessage:
    sender = Sender(message_id, user_id, "Ada", "Kitchen" if kind is ChatKind.GROUP else "")
    address = Address(platform, chat_id, thread_id, sender)
    return IncomingMessage(kind, address, text, is_for_bot, quoted, attachments)


@asynccontextmanager
async def chatting(
    store: Store,
    workspace: Path,
    platform: ScriptedPlatform | None = None,
    engine_changes: Mapping[str, Any] = MappingProxyType({}),
    clock: Clock | None = None,
    **changes: object,
) -> AsyncIterator[Chatting]:
    """`changes` are settings of the door, `engine_changes` those of the engine."""
    platform = platform or ScriptedPlatform()
    settings = MessagingSettings(
        {platform.name: replace(DOOR, **changes)},  # type: ignore[arg-type]
        attachment_bytes=1000,
        send_timeout=5.0,
        settle_seconds=0.02,
    )
    agent, clock = LedAgent(), clock or SystemClock()
    engine_settings = EngineSettings(stop_grace_seconds=1.0, wake_company_seconds=0.0)
    engine = bare_engine(store, agent, clock, replace(engine_settings, **engine_changes))
    people = People(store, settings.doors)
    commands = Commands(engine, store, _check_model, "demo:led", engine_settings.permission_mode)
    new = NewSessions("operator", "demo:led", workspace)
    make_ingress = partial(
        ChatIngress,
        engine,
        store,
        Door(platform.name, async_delivery=True),
        settings,
        people,
        commands,
        new,
        AttachmentDesk(store, new.workspace / ".home", settings.attachment_bytes),
    )
    door = PlatformDoor(engine, store, platform, make_ingress, settings, clock)
    async with AsyncExitStack() as ending:
        ending.push_async_callback(engine.stop)
        await engine.start()
        await ending.enter_async_context(door.at_work())
        yield Chatting(engine, store, agent, platform, door, people, workspace)


def _check_model(name: str) -> None:
    if name != "demo:other":
        raise ConfigError("no such model")
