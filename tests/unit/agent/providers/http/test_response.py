"""What every response can do, whichever client it comes from."""

import asyncio

import pytest

from tests.patience import PATIENCE
from wakeful.agent.providers.http import response
from wakeful.agent.providers.http.response import HttpResponse


class Endless(HttpResponse):
    """Its body neither goes on nor ends."""

    async def read(self) -> bytes:
        await asyncio.Event().wait()
        return b""

    def close(self) -> None:
        pass


async def test_the_rest_of_a_body_is_waited_for_only_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(response, "_DRAIN_SECONDS", 0.0)

    async with asyncio.timeout(PATIENCE):
        await Endless(200, {}).drain()
