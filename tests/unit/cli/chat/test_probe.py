"""The chat looks whether its server answers, and says so only when that changes."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from wakeful.cli.chat import probe
from wakeful.cli.chat.probe import keep_probing
from wakeful.cli.chat.standing import Standing
from wakeful.cli.client import Client, RequestRefused, ServerGone

_REFUSED = RequestRefused(503, {"code": "stopping", "message": "It stops."})


class Health(Client):
    """Answers or raises in turn, and then waits for ever."""

    def __init__(self, *outcomes: Exception | None) -> None:
        super().__init__(Path("nowhere"), "", "terminal")
        self._outcomes = list(outcomes)
        self.is_done = asyncio.Event()

    async def get(self, path: str, **query: str | int) -> dict[str, Any]:
        assert path == "/health"
        if not self._outcomes:
            self.is_done.set()
            await asyncio.Event().wait()
        outcome = self._outcomes.pop(0)
        if outcome is not None:
            raise outcome
        return {}


@pytest.mark.parametrize(
    ("outcomes", "heard"),
    [
        ([None, None], []),
        ([ServerGone("gone"), ServerGone("gone"), None], [False, True]),
        ([_REFUSED, None, _REFUSED], [False, True, False]),
    ],
)
async def test_a_change_is_told_once(
    monkeypatch: pytest.MonkeyPatch, outcomes: list[Exception | None], heard: list[bool]
) -> None:
    monkeypatch.setattr(probe, "_SECONDS", 0.0)
    client, standing, told = Health(*outcomes), Standing(), list[bool]()
    standing.is_live = True

    probing = asyncio.ensure_future(keep_probing(client, standing, lambda: told.append(standing.is_live)))
    await client.is_done.wait()
    probing.cancel()

    assert told == heard
