"""What has failed is tried again, after pauses that grow."""

import asyncio

import pytest

from wakeful.gateway.messaging.persistence import pause_after, until_done
from wakeful.gateway.messaging.platform import NotTaken


def test_the_pauses_double_from_a_second_to_a_minute() -> None:
    assert [pause_after(failures) for failures in (1, 2, 3, 6, 7, 8, 10_000)] == [1, 2, 4, 32, 60, 60, 60]


@pytest.mark.parametrize(
    ("errors", "pauses"),
    [
        ([OSError("cut")] * 9, [0.5, 1, 2, 4, 8, 16, 32, 60, 60]),
        ([NotTaken("Slow down.", seconds=7.0), NotTaken("Slow down."), OSError("cut")], [7.0, 1.0, 2.0]),
        ([], []),
    ],
)
async def test_it_is_done_at_last_after_growing_pauses_or_longer_ones_that_are_asked_for(
    errors: list[Exception], pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    slept = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async def do() -> str:
        if left:
            raise left.pop(0)
        return "done"

    left = list(errors)
    monkeypatch.setattr(asyncio, "sleep", sleep)

    assert await until_done(do, "It failed", 0.5) == "done"
    assert slept == pauses
