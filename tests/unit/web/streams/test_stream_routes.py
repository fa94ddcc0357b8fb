"""Streams of several sources: where each begins, and the cursor that its frames have."""

from collections.abc import AsyncGenerator
from types import SimpleNamespace
from typing import Any, cast

import pytest

from wakeful.engine.engine import Engine
from wakeful.model import event as events
from wakeful.model.event import Event
from wakeful.model.packed_json import pack
from wakeful.model.session import Address, Session
from wakeful.model.words import TOKEN, Word, WordsHead
from wakeful.web.cursor import START, Cursor
from wakeful.web.streams.follower import SessionState
from wakeful.web.streams.frames import Frame
from wakeful.web.streams.routes import (
    _around,
    _first_cursors,
    _merged_frames,
    _news_cursor,
    _session_frames,
    _turn_frames,
    _TurnLog,
)

IDLE = SessionState(Session("a", "ann", Address("web"), last_seq=9), None, 0, [])
ACTIVE = SessionState(Session("b", "ann", Address("web"), last_seq=7), None, 5, [])


class Source:
    """Yields batches of frames, and tells whether it was closed."""

    def __init__(self, *batches: list[Frame]) -> None:
        self.is_closed = False
        self.frames = self._run(batches)

    async def _run(self, batches: tuple[list[Frame], ...]) -> AsyncGenerator[list[Frame], None]:
        try:
            for batch in batches:
                yield batch
        finally:
            self.is_closed = True


@pytest.mark.parametrize(
    ("given", "inline", "cursors"),
    [
        ("", False, {"a": Cursor(9), "b": Cursor(7)}),
        ("", True, {"a": Cursor(9), "b": Cursor(4)}),
        ("a:3", True, {"a": Cursor(3), "b": Cursor(7)}),
        ("a:3,b:2", False, {"a": Cursor(3), "b": Cursor(2)}),
        ("a:10,c:1", False, {"a": START, "b": Cursor(7)}),
        ("x", True, {"a": START, "b": START}),
    ],
)
def test_a_session_begins_where_its_reader_was_and_now_if_it_is_new(
    given: str, inline: bool, cursors: dict[str, Cursor]
) -> None:
    assert _first_cursors([IDLE, ACTIVE], given, inline=inline) == cursors


@pytest.mark.parametrize(
    ("given", "cursor"),
    [
        ("", Cursor(57)),
        ("a:3", Cursor(57)),
        ("a:3,news:5", Cursor(5)),
        ("news:57", Cursor(57)),
        ("news:58", START),
        ("news:5.1", START),
        ("news:5~1~1", START),
        ("x", START),
    ],
)
def test_news_begins_where_its_reader_was_and_now_if_it_was_not_followed(given: str, cursor: Cursor) -> None:
    assert _news_cursor(given, 57) == cursor


@pytest.mark.parametrize(
    ("source", "cursors", "around"),
    [
        ("a", {"a": "1", "b": "2", "news": "3"}, ("a:", ",b:2,news:3")),
        ("b", {"a": "1", "b": "2", "news": "3"}, ("a:1,b:", ",news:3")),
        ("news", {"a": "1", "b": "2", "news": "3"}, ("a:1,b:2,news:", "")),
        ("rows", {"a": "1", "b": "2"}, ("a:1,b:2", "")),
        ("rows", {}, ("rows:0", "")),
    ],
)
def test_a_frame_has_the_cursors_of_all_sources(source: str, cursors: dict[str, str], around: tuple[str, str]) -> None:
    assert _around(source, cursors) == around


async def test_the_cursor_of_a_source_moves_with_its_frames_and_all_sources_are_closed() -> None:
    one, rows = Source([("4", b"x\n\n"), ("5", b"y\n\n")], [], [("6", b"z\n\n")]), Source([("", b"r\n\n")])
    sources: Any = {"a": one.frames, "rows": rows.frames}

    frames = _merged_frames(sources, {"a": "3"})
    written = [piece async for piece in frames]

    assert sorted(written, key=lambda piece: piece[-3:])[1:] == [b"id: a:4\nx\n\nid: a:5\ny\n\n", b"id: a:6\nz\n\n"]
    assert any(piece.endswith(b"\nr\n\n") and piece.startswith(b"id: a:") for piece in written)
    assert (one.is_closed, rows.is_closed) == (True, True)


async def test_a_source_is_closed_when_its_reader_leaves() -> None:
    one, other = Source([("4", b"x\n\n")], [("5", b"y\n\n")]), Source([], [("6", b"z\n\n")], [("7", b"z\n\n")])

    merged, single = _merged_frames({"a": one.frames}, {"a": "3"}), _session_frames(other.frames)
    assert (await anext(merged), await anext(single)) == (b"id: a:4\nx\n\n", b"id: 6\nz\n\n")
    await merged.aclose()
    await single.aclose()

    assert (one.is_closed, other.is_closed) == (True, True)


async def test_the_frames_of_a_turn_count_its_facts_and_the_words_after_each() -> None:
    asked, head = [], WordsHead("ses_1", "turn_1", 1, 12)

    def fact(turn_seq: int | None, kind: str) -> Event:
        return Event("ses_1", 12, "turn_1", turn_seq, kind, pack({"step": 1}), 0.0, None)

    async def subscribe_turn(*position: Any) -> AsyncGenerator[list[Any], None]:
        asked.append(position)
        yield []
        yield [fact(3, events.USAGE), Word(head, 1, TOKEN, "a"), Word(head, 2, TOKEN, "b")]
        yield [fact(None, events.STEP_ABANDONED), Word(head, 1, TOKEN, "c")]
        yield [fact(4, events.DONE)]

    engine = cast(Engine, SimpleNamespace(subscribe_turn=subscribe_turn))
    log = _TurnLog("ses_1", "turn_1", 4, has_ended=True)
    written = b"".join([piece async for piece in _turn_frames(engine, log, 2, 7)]).decode()

    names = [line for line in written.splitlines() if line.startswith(("id", "event"))]
    assert asked == [("ses_1", "turn_1", 2, 7)]
    assert names == [
        *("id: 3", f"event: {events.USAGE}", "id: 3~1", "event: token", "id: 3~2", "event: token"),
        *("id: 3~0", f"event: {events.STEP_ABANDONED}", "id: 3~1", "event: token", "id: 4", f"event: {events.DONE}"),
    ]
