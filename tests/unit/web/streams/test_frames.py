"""Facts and words as frames: which reader gets which, and how many of an event's frames a cursor has counted."""

from typing import Any

import orjson
import pytest

from wakeful.model import event as events
from wakeful.model.event import Event
from wakeful.model.packed_json import pack
from wakeful.model.words import REASONING, TOKEN, Word, WordsHead
from wakeful.web.streams.frames import is_given_out, lines_of, on_the_wire, session_frames
from wakeful.web.streams.word_frames import inline_words, runs_of, turn_words


def fact(kind: str, *, turn_seq: int | None = 3, turn_id: str | None = "turn_1", **data: Any) -> Event:
    return Event("ses_1", 9, turn_id, turn_seq, kind, pack(data), 0.0, None)


def frames_of(event: Event, seen: int = 0, *, inline: bool = True) -> list[tuple[int, str, dict[str, Any]]]:
    made = []
    for count, lines in session_frames(event, seen, inline=inline):
        name, data = lines.removesuffix(b"\n\n").split(b"\n")
        made.append((count, name.decode().removeprefix("event: "), orjson.loads(data.removeprefix(b"data: "))))
    return made


STARTED = fact(events.TURN_STARTED, turn_seq=1, source="user")
DONE = fact(events.DONE, step=2)
CLOSED = {"session_id": "ses_1", "turn_id": "turn_1", "stream_id": "turn_1", "status": "done"}
OPENED = {"session_id": "ses_1", "turn_id": "turn_1", "stream_id": "turn_1", "source": "user"}
INLINE = {"session_id": "ses_1", "turn_id": "turn_1"}


@pytest.mark.parametrize("inline", [True, False])
def test_an_event_of_the_session_is_one_frame_for_everybody(inline: bool) -> None:
    event = fact(events.SESSION_UPDATED, session_id="ses_1", changed=["title"])

    assert frames_of(event, inline=inline) == [(0, "session-updated", {"session_id": "ses_1", "changed": ["title"]})]


def test_the_time_until_which_wakes_wait_is_told_in_words() -> None:
    ((_, name, data),) = frames_of(fact(events.WAKE_WAITS, until=5.0, reason="budget"))

    assert (name, data) == ("wake_waits", {"until": "1970-01-01T00:00:05.000Z", "reason": "budget"})


def test_the_beginning_and_the_end_of_a_turn_are_frames_of_the_session_and_of_the_turn() -> None:
    assert frames_of(STARTED) == [
        (1, "server_turn_started", OPENED),
        (0, "turn_started", {"source": "user"} | INLINE),
    ]
    assert frames_of(DONE) == [(1, "done", {"step": 2} | INLINE), (0, "turn_completed", CLOSED)]


def test_readers_without_the_turns_get_the_frames_of_the_session_alone() -> None:
    assert frames_of(STARTED, inline=False) == [(0, "server_turn_started", OPENED)]
    assert frames_of(DONE, inline=False) == [(0, "turn_completed", CLOSED)]
    assert frames_of(fact(events.TOOL), inline=False) == []
    assert frames_of(fact(events.TOOL)) == [(0, "tool", INLINE)]


def test_a_reader_gets_the_rest_of_an_events_frames() -> None:
    assert [name for _, name, _ in frames_of(STARTED, 1)] == ["turn_started"]
    assert frames_of(STARTED, 1, inline=False) == []
    assert [name for _, name, _ in frames_of(DONE, 1, inline=False)] == ["turn_completed"]
    assert frames_of(DONE, 2) == []


@pytest.mark.parametrize(("frames", "is_one"), [(0, False), (1, True), (2, False), (3, False)])
def test_a_cursor_points_after_some_of_an_events_frames(frames: int, is_one: bool) -> None:
    assert is_given_out(DONE, frames) is is_one


def test_a_message_that_never_became_a_turn_changes_the_queue() -> None:
    event = fact(events.CANCELLED, turn_seq=1)

    changed = {"session_id": "ses_1", "changed": ["queued"], "turn_id": "turn_1"}
    assert frames_of(event, inline=False) == [(0, "session-updated", changed)]


def test_frames_go_on_the_wire_with_their_cursors() -> None:
    frames = [("7", lines_of("a", b"{}")), ("8.1", lines_of("b", b"[]"))]

    assert on_the_wire(frames) == b"id: 7\nevent: a\ndata: {}\n\nid: 8.1\nevent: b\ndata: []\n\n"
    assert on_the_wire(frames[:1], "x:1,y:", ",z:3") == b"id: x:1,y:7,z:3\nevent: a\ndata: {}\n\n"


def test_words_of_one_step_are_a_run_and_facts_stand_alone() -> None:
    first, second = WordsHead("ses_1", "turn_1", 1, 4), WordsHead("ses_1", "turn_1", 2, 9)
    one, two, other = Word(first, 1, TOKEN, "a"), Word(first, 2, REASONING, "b"), Word(second, 1, TOKEN, "c")

    assert list(runs_of([one, two, STARTED, DONE, two, other])) == [[one, two], STARTED, DONE, [two], [other]]


def test_a_word_says_where_it_belongs_and_its_cursor_where_it_stands() -> None:
    head = WordsHead("ses_1", "turn_1", 2, 4)
    words = [Word(head, 1, TOKEN, 'say "a"\n'), Word(head, 2, REASONING, "é")]

    inline, alone = inline_words(words, "5"), turn_words(words, 3)

    assert inline == [
        (
            "5~4~1",
            b'event: token\ndata: {"session_id":"ses_1","turn_id":"turn_1","step":2,"text":"say \\"a\\"\\n"}\n\n',
        ),
        (
            "5~4~2",
            'event: reasoning\ndata: {"session_id":"ses_1","turn_id":"turn_1","step":2,"text":"é"}\n\n'.encode(),
        ),
    ]
    assert [at for at, _ in alone] == ["3~1", "3~2"]
    assert alone[1][1] == 'event: reasoning\ndata: {"step":2,"text":"é"}\n\n'.encode()


def test_a_single_word_is_a_frame() -> None:
    word = Word(WordsHead("ses_1", "turn_1", 2, 4), 1, TOKEN, "a")

    assert [at for at, _ in inline_words([word], "5")] == ["5~4~1"]
    assert turn_words([word], 3) == [("3~1", b'event: token\ndata: {"step":2,"text":"a"}\n\n')]
