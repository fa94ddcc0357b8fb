"""The door of a platform at the node that holds it: all that it opens has ended when it is left."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.engine.kit import FakeClock
from tests.patience import PATIENCE
from tests.unit.gateway.messaging.kit import ScriptedPlatform
from wakeful.engine.supervisor import Supervisor
from wakeful.errors import WakefulError
from wakeful.gateway.messaging.door import PlatformDoor, _reason
from wakeful.gateway.messaging.platform import Ingress
from wakeful.gateway.messaging.settings import DoorSettings, MessagingSettings
from wakeful.model.messaging.door import DoorState
from wakeful.store.base import Store


@dataclass
class TakingPlatform(ScriptedPlatform):
    """Whose line is left while it takes in messages."""

    store: Any = None
    history: list[str] = field(default_factory=list)
    ingress: Any = None

    async def run(self, ingress: Ingress, connected: Callable[[str], None]) -> None:
        self.ingress = ingress
        connected("@bot")
        self.history.append("opened")
        self.changed.set()
        try:
            await asyncio.Event().wait()
        finally:
            for _ in range(5):
                await self.store.write(lambda tx: tx.platform_doors.is_held_by("telegram", "node_1"))
            self.history.append("ended")

    async def close(self) -> None:
        self.history.append("closed")


@dataclass
class Engine:
    node: str = "node_1"
    supervisor: Supervisor = field(default_factory=Supervisor)


def a_door(store: Store, platform: TakingPlatform) -> PlatformDoor:
    """Its ingress is just what it was made of."""
    engine: Any = Engine()

    def make_ingress(*given: Any) -> Any:
        return given

    settings = MessagingSettings({"telegram": DoorSettings()})
    return PlatformDoor(engine, store, platform, make_ingress, settings, FakeClock())


async def test_the_messages_of_a_line_are_taken_in_before_its_platform_is_closed(store: Store) -> None:
    platform = TakingPlatform(store=store)

    async with asyncio.timeout(PATIENCE), a_door(store, platform).at_work():
        await platform.until(lambda: platform.history == ["opened"])

    assert platform.history == ["opened", "ended", "closed"]


async def test_what_comes_in_wakes_the_postman_and_is_answered_by_him(store: Store) -> None:
    platform = TakingPlatform(store=store)
    door = a_door(store, platform)

    async with door.at_work():
        await platform.until(lambda: platform.history == ["opened"])

    assert platform.ingress == (door.outbox.postman.job.wake, door.outbox.postman.say)


async def test_a_door_that_stands_says_so_and_by_whom(store: Store) -> None:
    platform = TakingPlatform(store=store)
    door = a_door(store, platform)
    assert door.status.state is DoorState.CONNECTING

    async with door.at_work():
        await platform.until(lambda: platform.history == ["opened"])
        assert (door.status.state, door.status.bot, door.status.error) == (DoorState.CONNECTED, "@bot", "")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (WakefulError("The line was cut."), "The line was cut."),
        (OSError("no route"), "no route"),
        (OSError(), "What slack sent cannot be read (OSError): check the address of its API if one is set."),
        (KeyError("url"), "What slack sent cannot be read (KeyError): check the address of its API if one is set."),
    ],
    ids=["ours", "of the network", "without words", "of a library"],
)
def test_the_reason_of_a_broken_line_is_a_sentence(error: Exception, reason: str) -> None:
    assert _reason("slack", error) == reason
