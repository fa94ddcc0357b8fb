"""The door of a platform: opened again after whatever closes it, and it says how it is doing."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import ANY

import pytest

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


async def test_a_line_that_breaks_is_opened_again_ever_more_slowly_and_a_refused_token_after_ten_minutes(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[tuple[float, DoorState, str]] = []

    async def pause(door: PlatformDoor, seconds: float) -> None:
        pauses.append((seconds, door.status.state, door.status.error))
        await asyncio.sleep(0)

    monkeypatch.setattr(PlatformDoor, "_pause", pause)
    platform = BrokenPlatform(errors=[*(OSError("no route") for _ in range(8)), TokenRefused("The token is wrong.")])
    async with chatting(store, tmp_path, platform) as chat:
        await platform.until(lambda: platform.stands)

    broken = [(seconds, DoorState.RETRYING, "no route") for seconds in (1, 2, 4, 8, 16, 32, 60, 60)]
    assert pauses[:9] == [*broken, (600, DoorState.REFUSED, "The token is wrong.")]
    assert chat.door.status == DoorStatus(DoorState.CONNECTED, ANY, "@bot")
