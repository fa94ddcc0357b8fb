"""How a recorder reserves words and limits their number."""

import asyncio
from typing import Any

import pytest

from tests.engine.kit import FakeClock
from tests.store.nouns import a_turn
from wakeful.engine.inbox.assignment import Assignment
from wakeful.engine.turns import recorder as recorders
from wakeful.engine.turns.recorder import Recorder
from wakeful.engine.words.words import LiveWords
from wakeful.errors import LimitReached
from wakeful.model.journal.fact import TextDelta


class StillStore:
    """A store whose writes end only when they are cancelled."""

    def __init__(self) -> None:
        self.writing = asyncio.Event()
        self.is_cancelled = False

    async def write(self, body: object, *, lock: object = ()) -> None:
        self.writing.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.is_cancelled = True
            raise


def a_recorder(store: Any, live: LiveWords, reserved: int = 1000) -> Recorder:
    no_dispatcher: Any = None
    return Recorder(store, no_dispatcher, live, Assignment(a_turn(reserved=reserved, last_seq=2), 2))


async def test_a_recorder_that_is_closed_leaves_no_write_behind() -> None:
    store = StillStore()
    recorder = a_recorder(store, LiveWords(FakeClock()), reserved=2)
    for _ in range(2):
        await recorder.say(TextDelta(1, "word "))
    await asyncio.wait_for(store.writing.wait(), 10)

    recorder.close()
    await asyncio.sleep(0)

    assert store.is_cancelled


async def test_an_answer_that_does_not_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorders, "_MOST_LETTERS", 10)
    live = LiveWords(FakeClock())
    recorder = a_recorder(StillStore(), live)
    for _ in range(2):
        await recorder.say(TextDelta(1, "ten letter"))

    with pytest.raises(LimitReached, match="more than 10 letters"):
        await recorder.say(TextDelta(1, "more"))

    words = live.of("s1")
    assert words is not None
    assert words.count == 2
