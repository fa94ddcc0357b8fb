"""What every response can do, whichever client it comes from."""

import asyncio

import pytest

from tests.patience import PATIENCE
from wakeful.agent.providers.http import response
from wakeful.agent.providers.http.response import HttpResponse
from wakeful.errors import ModelError


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


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "-7"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "7"}, 7.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0.0),
    ],
)
def test_an_endpoint_says_when_to_come_back(headers: dict[str, str], seconds: float | None) -> None:
    assert Endless(429, headers).retry_after == seconds


def test_a_type_is_read_without_its_parameters() -> None:
    types = [Endless(200, headers).content_type for headers in ({}, {"content-type": "Text/HTML ; charset=utf-8"})]

    assert types == ["", "text/html"]


class Long(HttpResponse):
    """Its body comes in pieces of 40,000 bytes, and breaks after so many."""

    def __init__(self, pieces: int) -> None:
        super().__init__(500, {})
        self.left = pieces

    async def read(self) -> bytes:
        if not self.left:
            raise ModelError("broken", code="model_stream_broken")
        self.left -= 1
        return b"x" * 40_000

    def close(self) -> None:
        pass


async def test_of_an_error_only_the_beginning_is_read_and_its_end_hides_nothing() -> None:
    long, broken = Long(9), Long(1)

    assert (len(await long.read_error()), long.left) == (80_000, 7)
    assert len(await broken.read_error()) == 40_000
