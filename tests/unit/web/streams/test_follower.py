"""Readers of one session: what greets them, which facts and words they get, and HTML without what they have had."""

from collections.abc import AsyncGenerator
from types import SimpleNamespace
from typing import Any, cast

import orjson
import pytest

from tests.store.nouns import a_session, a_turn, an_approval
from wakeful.engine.engine import Engine
from wakeful.model import event as events
from wakeful.model.event import Event
from wakeful.model.packed_json import pack
from wakeful.model.words import TOKEN, Position, Word, WordsEnd, WordsHead
from wakeful.store.base import Transaction
from wakeful.web.cursor import Cursor
from wakeful.web.streams.follower import Frames, SessionState, follow_session, follow_with_html, read_state

HEAD = WordsHead("s1", "t1", 1, 9)
IDLE = SessionState(a_session(last_seq=9), None, 0, [])


class Log:
    """An engine whose session has these pages."""

    def __init__(self, *pages: list[Any]) -> None:
        self._pages = pages
        self.asked: list[tuple[Any, ...]] = []
        self.is_closed = False

    @property
    def engine(self) -> Engine:
        return cast(Engine, self)

    async def subscribe(self, session_id: str, after: Position, **more: Any) -> AsyncGenerator[list[Any], None]:
        self.asked.append((session_id, after, more))
        try:
            for page in self._pages:
                yield page
        finally:
            self.is_closed = True


def fact(number: int, kind: str, ends: WordsEnd | None = None) -> Event:
    return Event("s1", number, "t1", number - 7, kind, pack({"step": 1}), 0.0, ends)


def words(text: str, first: int = 1) -> list[Any]:
    return [Word(HEAD, number, TOKEN, letter) for number, letter in enumerate(text, start=first)]


async def told(frames: Frames) -> list[tuple[str, str, Any]]:
    """Return the cursor, the name and the data of each frame after the greeting."""
    await anext(frames)
    return [(at, *_parsed(lines)) async for batch in frames for at, lines in batch]


def _parsed(lines: bytes) -> tuple[str, Any]:
    name, data = lines.decode().strip().split("\n")
    return name.removeprefix("event: "), orjson.loads(data.removeprefix("data: "))


async def greeting(state: SessionState, cursor: Cursor) -> list[tuple[str, str, Any]]:
    frames = follow_session(Log().engine, state, cursor, inline=True)
    return [(at, *_parsed(lines)) for at, lines in await anext(frames)]


async def test_a_reader_is_greeted_with_what_is_open() -> None:
    assert await greeting(IDLE, Cursor(4)) == [
        ("4", "initial", {"session_id": "s1", "last_event_id": 9, "active": None})
    ]

    state = SessionState(a_session(last_seq=9), a_turn(), 5, [an_approval()])
    initial, started, question = await greeting(state, Cursor(4, 1))

    assert [initial[0], started[0], question[0]] == ["5.1"] * 3
    assert initial[2]["active"] == {"turn_id": "t1", "stream_id": "t1", "source": "user"}
    assert (started[1], started[2]["turn_id"], started[2]["recovered"]) == ("server_turn_started", "t1", True)
    assert (question[1], question[2]["call_id"], question[2]["recovered"]) == ("approval_required", "call1", True)


@pytest.mark.parametrize(
    ("first_event", "inline", "fact_number"), [(5, True, 4), (1, True, 0), (5, False, 9), (0, True, 9)]
)
def test_a_new_reader_begins_before_the_turn_that_runs_if_it_wants_turns(
    first_event: int, inline: bool, fact_number: int
) -> None:
    assert SessionState(a_session(last_seq=9), None, first_event, []).first_cursor(inline=inline) == Cursor(fact_number)


@pytest.mark.parametrize(("active", "first_event"), [("t1", 6), ("t2", 0), (None, 0)])
async def test_the_state_of_a_session_has_the_first_event_of_its_turn(active: str | None, first_event: int) -> None:
    async def get(turn_id: str) -> Any:
        return a_turn(turn_id)

    async def of_turn(turn_id: str, after: int, limit: int) -> list[Event]:
        return [fact(number, events.TURN_STARTED) for number in (6, 8)][after:limit] if turn_id == "t1" else []

    async def open_of(session_id: str, now: float) -> list[Any]:
        return [(session_id, now)]

    async def now() -> float:
        return 5.0

    tables: dict[str, dict[str, Any]] = {
        "turns": {"get": get},
        "events": {"of_turn": of_turn},
        "approvals": {"open_of": open_of},
    }
    made = {name: SimpleNamespace(**functions) for name, functions in tables.items()}
    state = await read_state(cast(Transaction, SimpleNamespace(**made, now=now)), a_session(active=active))

    assert (None if state.active is None else state.active.id, state.active_seq) == (active, first_event)
    assert state.approvals == cast(Any, [("s1", 5.0)])


async def test_a_reader_gets_facts_and_words_in_order_and_closes_the_log() -> None:
    log = Log([], [fact(10, events.USAGE), *words("ab")], [fact(11, events.DONE, WordsEnd(1, 9, 2))])

    frames = await told(follow_session(log.engine, IDLE, Cursor(9), inline=True))

    assert [(at, name) for at, name, _ in frames] == [
        ("10", events.USAGE),
        ("10~9~1", "token"),
        ("10~9~2", "token"),
        ("11.1", events.DONE),
        ("11", "turn_completed"),
    ]
    assert log.asked[0][:2] == ("s1", Position(9, 0, 0))
    assert log.is_closed


async def test_a_reader_that_leaves_closes_the_log() -> None:
    for follow in (follow_with_html, None):
        log = Log([fact(10, events.USAGE)], [fact(11, events.USAGE)])
        frames = (
            follow_session(log.engine, IDLE, Cursor(9), inline=True)
            if follow is None
            else follow(log.engine, IDLE, Cursor(9))
        )
        await anext(frames)
        await anext(frames)

        await frames.aclose()

        assert log.is_closed


async def test_html_needs_the_words_that_its_reader_has_had_which_are_not_sent_again() -> None:
    log = Log([*words("abc")], [fact(10, events.USAGE, WordsEnd(1, 9, 3))])

    frames = await told(follow_with_html(log.engine, IDLE, Cursor(9, 0, 9, 2)))

    assert log.asked[0][:2] == ("s1", Position(9, 9, 0))
    assert [(at, name) for at, name, _ in frames] == [
        ("9~9~3", "token"),
        ("9~9~3", "answer_html"),
        ("10", events.USAGE),
    ]
    html = frames[1][2]
    assert (html["blocks"], html["is_final"], html["session_id"], html["step"]) == (["<p>abc</p>\n"], True, "s1", 1)
    assert log.is_closed


async def test_a_reader_that_has_more_words_than_the_log_kept_takes_them_back() -> None:
    log = Log([*words("ab")], [fact(10, events.USAGE, WordsEnd(1, 9, 2))])

    frames = await told(follow_with_html(log.engine, IDLE, Cursor(9, 0, 9, 5)))

    assert [(at, name) for at, name, _ in frames] == [
        ("9~9~0", events.STEP_ABANDONED),
        ("9~9~1", "token"),
        ("9~9~2", "token"),
        ("9~9~2", "answer_html"),
        ("10", events.USAGE),
    ]
    assert frames[3][2]["blocks"] == ["<p>ab</p>\n"]


async def test_a_reader_of_words_of_which_the_log_kept_none_takes_them_back() -> None:
    log = Log([fact(10, events.USAGE, WordsEnd(1, 9, 0))])

    frames = await told(follow_with_html(log.engine, IDLE, Cursor(9, 0, 9, 5)))

    assert [(at, name) for at, name, _ in frames] == [("9~9~0", events.STEP_ABANDONED), ("10", events.USAGE)]
