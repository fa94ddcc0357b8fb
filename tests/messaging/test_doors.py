"""The door of a platform: opened again after whatever closes it, and it says how it is doing."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import ANY

import pytest

from tests.engine.kit import FakeClock
from tests.messaging.kit import chatting
from tests.unit.gateway.messaging.kit import ScriptedPlatform
from wakeful.gateway.messaging.door import PlatformDoor
from wakeful.gateway.messaging.platform import Ingress, TokenRefused
from wakeful.model.messaging.door import DoorState, DoorStatus
from wakeful.store.base import Store


@dataclass
class BrokenPlatform(ScriptedPlatform):
    """Its line breaks with these errors before it stands."""

    errors: list[Exception] = field(default_factory=list)
    stands: bool = False

    async def run(self, ingress: Ingress, connected: Callable[[str], None]) -> None:
        if self.errors:
            raise self.errors.pop(0)
        connected("@bot")
        self.stands = True
        self.changed.set()
        await asyncio.Event().wait()


@dataclass
class ShakyPlatform(ScriptedPlatform):
    """Its line breaks again and again: each stands after the first number of seconds, for the second; None is never."""

    clock: FakeClock = field(default_factory=FakeClock)
    lines: list[tuple[float, float | None]] = field(default_factory=list)

    async def run(self, ingress: Ingress, connected: Callable[[str], None]) -> None:
        if not self.lines:
            self.changed.set()
            await asyncio.Event().wait()
        opening, standing = self.lines.pop(0)
        self.clock.advance(opening)
        if standing is not None:
            connected("@bot")
            self.clock.advance(standing)
        raise OSError("cut")


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[tuple[float, DoorState, str]]:
    """Of the doors, which they do not make: how long, and what they said meanwhile."""
    pauses: list[tuple[float, DoorState, str]] = []

    async def pause(door: PlatformDoor, seconds: float) -> None:
        pauses.append((seconds, door.status.state, door.status.error))
        await asyncio.sleep(0)

    monkeypatch.setattr(PlatformDoor, "_pause", pause)
    return pauses


async def test_a_line_that_breaks_is_opened_again_ever_more_slowly_and_a_refused_token_after_ten_minutes(
    store: Store, tmp_path: Path, pauses: list[tuple[float, DoorState, str]], caplog: pytest.LogCaptureFixture
) -> None:
    platform = BrokenPlatform(errors=[*(OSError("no route") for _ in range(8)), TokenRefused("The token is wrong.")])
    async with chatting(store, tmp_path, platform) as chat:
        await platform.until(lambda: platform.stands)

    broken = [(seconds, DoorState.RETRYING, "no route") for seconds in (1, 2, 4, 8, 16, 32, 60, 60)]
    assert pauses[:9] == [*broken, (600, DoorState.REFUSED, "The token is wrong.")]
    assert chat.door.status == DoorStatus(DoorState.CONNECTED, ANY, "@bot")
    reasons = [*["no route"] * 8, "The token is wrong."]
    assert caplog.messages[:9] == [f"the line to telegram broke: {reason}" for reason in reasons]


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
async def test_a_door_says_since_when_it_is_as_it_is(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    since: list[float] = []

    async def pause(door: PlatformDoor, seconds: float) -> None:
        since.append(door.status.since)
        await asyncio.sleep(0)

    monkeypatch.setattr(PlatformDoor, "_pause", pause)
    platform = BrokenPlatform(errors=[OSError("no"), OSError("no"), OSError("no"), TokenRefused("wrong")])
    async with chatting(store, tmp_path, platform) as chat:
        await platform.until(lambda: platform.stands)
        stands = chat.door.status.since

    assert since[0] == since[1] == since[2] < since[3] < stands


async def test_outages_of_a_line_that_holds_for_ten_seconds_between_them_do_not_add_up(
    store: Store, tmp_path: Path, pauses: list[tuple[float, DoorState, str]]
) -> None:
    clock = FakeClock()
    never, short, good = (40.0, None), (0.0, 9.0), (40.0, 10.0)
    platform = ShakyPlatform(clock=clock, lines=[never, never, short, good, never, good, good])
    async with chatting(store, tmp_path, platform, clock=clock):
        await platform.until(lambda: len(pauses) == 7)

    assert [seconds for seconds, _, _ in pauses] == [1, 2, 4, 1, 2, 1, 1]


async def test_a_platform_is_closed_before_its_door_is_left_to_another_node(store: Store, tmp_path: Path) -> None:
    was_held: list[bool] = []

    class ClosingPlatform(BrokenPlatform):
        async def close(self) -> None:
            was_held.append(await is_held())

    async def is_held() -> bool:
        return await store.write(lambda tx: tx.platform_doors.is_held_by("telegram", chat.engine.node))

    platform = ClosingPlatform()
    async with chatting(store, tmp_path, platform) as chat:
        await platform.until(lambda: platform.stands)

    assert was_held == [True]
    assert not await is_held()
