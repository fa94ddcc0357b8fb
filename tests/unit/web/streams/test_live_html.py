"""Answers as HTML while they are written: how long a reader waits for the next patch."""

from types import SimpleNamespace
from typing import Any

import orjson
import pytest

from wakeful.model import event as events
from wakeful.model.event import Event
from wakeful.model.packed_json import pack
from wakeful.model.words import REASONING, TOKEN, Word, WordsHead
from wakeful.web.streams import live_html
from wakeful.web.streams.live_html import LiveHtml


class Clock:
    """Time passes only while it is looked at."""

    def __init__(self, a_look: float) -> None:
        self.now = 100.0
        self._a_look = a_look

    def monotonic(self) -> float:
        self.now += self._a_look
        return self.now


def words(*texts: str, kind: str = TOKEN, step: int = 1) -> list[Word]:
    head = WordsHead("ses_1", "turn_1", step, 1)
    return [Word(head, number, kind, text) for number, text in enumerate(texts, start=1)]


def fact(kind: str, turn_id: str = "turn_1", **data: Any) -> Event:
    return Event("ses_1", 9, turn_id, 3, kind, pack(data), 0.0, None)


def data_of(frame: bytes) -> dict[str, Any]:
    name, _, data = frame.partition(b"\ndata: ")
    assert name == b"event: answer_html"
    found: dict[str, Any] = orjson.loads(data)
    return found


@pytest.mark.parametrize(
    ("a_look", "pause"),
    [
        pytest.param(0.0, 0.03, id="quick work"),
        pytest.param(0.01, 0.1, id="work"),
        pytest.param(5.0, 1.0, id="long work"),
    ],
)
async def test_the_next_patch_waits_in_proportion_to_the_work_and_never_long(
    monkeypatch: pytest.MonkeyPatch, a_look: float, pause: float
) -> None:
    clock = Clock(a_look)
    monkeypatch.setattr(live_html, "time", SimpleNamespace(monotonic=clock.monotonic))
    live = LiveHtml("ses_1")
    await live.now()
    assert len(await live.words(words("one"))) == 1
    made_at = clock.now

    clock.now = made_at + pause - 2 * a_look - 0.001
    assert await live.words(words("two")) == []
    assert live.patience() is not None
    clock.now = made_at + pause
    (patch,) = await live.words(words(" three"))

    assert data_of(patch)["blocks"] == ["<p>onetwo three</p>\n"]
    assert live.patience() is None


@pytest.mark.parametrize("end", [events.USAGE, events.TOOL, events.DONE])
async def test_a_reader_that_catches_up_gets_each_step_once_when_it_ends(end: str) -> None:
    live = LiveHtml("ses_1")

    assert await live.words(words("*one*")) == []
    assert live.patience() is None
    (patch,) = await live.fact(fact(end))

    assert data_of(patch) == {
        "session_id": "ses_1",
        "turn_id": "turn_1",
        "step": 1,
        "from": 0,
        "blocks": ["<p><em>one</em></p>\n"],
        "is_final": True,
    }
    assert await live.fact(fact(end)) == []


async def test_another_turn_or_another_event_ends_nothing() -> None:
    live = LiveHtml("ses_1")
    await live.words(words("one"))

    assert await live.fact(fact(events.DONE, "turn_2")) == []
    assert await live.fact(fact(events.SESSION_UPDATED)) == []
    assert len(await live.fact(fact(events.DONE))) == 1


async def test_a_step_that_is_taken_back_leaves_nothing_and_the_next_one_begins_anew() -> None:
    live = LiveHtml("ses_1")
    await live.now()
    await live.words(words("one"))

    assert await live.fact(fact(events.STEP_ABANDONED)) == []
    assert (live.patience(), await live.now()) == (None, [])
    await live.words(words("two", step=2))
    (patch,) = await live.fact(fact(events.USAGE))

    assert (data_of(patch)["step"], data_of(patch)["blocks"]) == (2, ["<p>two</p>\n"])


async def test_thoughts_are_not_part_of_the_answer() -> None:
    live = LiveHtml("ses_1")
    await live.now()

    assert await live.words(words("hm", kind=REASONING)) == []
    assert live.patience() is None


async def test_words_that_an_older_version_recorded_as_events_are_an_answer_too() -> None:
    live = LiveHtml("ses_1")
    await live.now()

    (patch,) = await live.fact(fact(events.TOKEN, step=2, text="one"))

    assert (data_of(patch)["step"], data_of(patch)["blocks"]) == (2, ["<p>one</p>\n"])


async def test_a_long_answer_is_sent_as_fast_as_a_line_may_take_it(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(0.0)
    monkeypatch.setattr(live_html, "time", SimpleNamespace(monotonic=clock.monotonic))
    live = LiveHtml("ses_1")
    await live.now()

    (patch,) = await live.words(words("x" * 50_000))
    await live.words(words("y"))

    assert len("".join(data_of(patch)["blocks"])) == 50_008
    assert live.patience() == pytest.approx(0.2, abs=0.001)
