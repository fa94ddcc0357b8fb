"""Journals as messages: their ids, what a turn without an end shows, and long results."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.unit.tools.kit import new_turn
from wakeful.model.inbox import UNDO
from wakeful.model.journal.entry import (
    WHOLE,
    Entry,
    answer_entry,
    cut_entry,
    input_entry,
    result_entry,
    without,
)
from wakeful.model.journal.fact import Answered
from wakeful.model.journal.message import AssistantMessage, ToolCall, Usage
from wakeful.model.turn import Turn, TurnStatus
from wakeful.model.words import Said
from wakeful.web.messages.messages import MessageFields, MessageId, shorten_results, turn_messages

TURN = new_turn(Path("/"))
CALLS = (ToolCall("call_1", "read", "{}"), ToolCall("call_2", "write", "{}"))


def said(text: str = "", reasoning: str = "", calls: tuple[ToolCall, ...] = (), model: str = "") -> Entry:
    message = AssistantMessage(text, calls=calls, reasoning=reasoning)
    return answer_entry(TURN.id, Answered(1, message, Usage(1, 1), model=model))


def result(text: str, index: int = 1, **more: Any) -> Entry:
    return result_entry(TURN.id, 1, index, call_id=f"call_{index}", text=text, seconds=2.5, **more)


def ended(status: TurnStatus, **error: str) -> Turn:
    return replace(TURN, status=status, error=orjson.dumps(error) if error else None, opened_at=1.0, closed_at=2.0)


def outline(messages: list[MessageFields]) -> list[tuple[str, str, str]]:
    return [(message["id"], message["role"], message["content"]) for message in messages]


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("turn_1.2.3", MessageId("turn_1", (2, 3))),
        ("turn_1.123456789.0", MessageId("turn_1", (123456789, 0))),
        ("turn_1.end", MessageId("turn_1", (1 << 62, 0))),
        *((text, None) for text in ("", ".end", "end", "turn_1", "turn_1.", "turn_1.2", "turn_1.2.", ".2.3")),
        *((text, None) for text in ("turn_1.2.3.4", "turn_1.-1.0", "turn_1.1.x", "turn_1.1234567890.0", "turn_1.².0")),
    ],
)
def test_the_id_of_a_message_names_its_turn_and_its_place(text: str, parsed: MessageId | None) -> None:
    assert MessageId.parse(text) == parsed


def test_messages_stand_in_the_order_of_their_steps_and_each_call_has_its_result() -> None:
    entries = [
        result("second", 2),
        said("words", calls=CALLS),
        result("first", 1, is_error=True),
        input_entry(TURN.id, 0, 1, {"text": "taken back", "source": UNDO}),
        input_entry(TURN.id, 0, 0, {"text": "hello", "source": "user"}),
    ]

    messages = turn_messages(TURN, entries)

    assert outline(messages) == [
        ("turn_1.0.0", "user", "hello"),
        ("turn_1.0.1", "note", "taken back"),
        ("turn_1.1.0", "assistant", "words"),
        ("turn_1.1.1", "tool", "first"),
        ("turn_1.1.2", "tool", "second"),
    ]
    tools = [message["tool"] for message in messages[3:]]
    assert [(tool["call_id"], tool["name"], tool["is_error"], tool["status"]) for tool in tools] == [
        ("call_1", "read", True, "done"),
        ("call_2", "write", False, "done"),
    ]
    assert tools[0] | {"call_id": ""} == {
        "call_id": "",
        "name": "read",
        "arguments": "{}",
        "result": "first",
        "truncated": False,
        "full_size": 5,
        "seconds": 2.5,
        "is_error": True,
        "status": "done",
        "changes": [],
    }


def test_what_was_deleted_is_no_message() -> None:
    message = input_entry(TURN.id, 0, 0, {"text": "hello", "source": "user"})

    assert turn_messages(TURN, [without(message, WHOLE), result("of no call")]) == []


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        (said("words"), [("assistant", None)]),
        (said("", "thoughts"), [("assistant", "thoughts")]),
        (said(), [("assistant", None)]),
        (said(calls=CALLS[:1]), []),
        (said("", "thoughts", CALLS[:1]), [("assistant", "thoughts")]),
        (cut_entry(TURN.id, 1, Said("half", "thoughts", ())), [("assistant", "thoughts")]),
        (cut_entry(TURN.id, 1, Said("half", "", ())), [("assistant", None)]),
    ],
)
def test_an_answer_is_shown_unless_it_is_calls_alone(answer: Entry, shown: list[tuple[str, str | None]]) -> None:
    messages = [message for message in turn_messages(TURN, [answer]) if message["role"] != "tool"]

    assert [(message["role"], message["reasoning"]) for message in messages] == shown


def test_an_answer_says_which_model_wrote_it_if_that_is_known() -> None:
    answers = [said("a"), said("a", model="demo:other"), cut_entry(TURN.id, 1, Said("half", "", ()))]

    models = [turn_messages(TURN, [answer])[0]["model"] for answer in answers]

    assert models == ["demo:scripted", "demo:other", None]


@pytest.mark.parametrize(
    ("status", "shown"),
    [
        (TurnStatus.RUNNING, ("running", False)),
        (TurnStatus.DONE, ("interrupted", True)),
        (TurnStatus.CANCELLED, ("interrupted", True)),
    ],
)
def test_a_call_without_a_result_runs_as_long_as_its_turn(status: TurnStatus, shown: tuple[str, bool]) -> None:
    message, *_ = turn_messages(ended(status), [said(calls=CALLS[:1])])

    assert (message["tool"]["status"], message["tool"]["is_error"]) == shown
    assert (message["tool"]["result"], message["tool"]["seconds"], message["content"]) == (None, None, "")


@pytest.mark.parametrize(
    ("turn", "role", "content", "more"),
    [
        (ended(TurnStatus.CANCELLED, code="stopped", message="x"), "note", "Stopped.", {}),
        (ended(TurnStatus.CANCELLED, code="replaced", message="Replaced."), "note", "Replaced.", {}),
        (ended(TurnStatus.CANCELLED), "note", "", {}),
        (ended(TurnStatus.FAILED, code="model_error", message="No."), "error", "No.", {"code": "model_error"}),
    ],
)
def test_a_turn_that_broke_off_says_how(turn: Turn, role: str, content: str, more: dict[str, str]) -> None:
    (message,) = turn_messages(turn, [])

    assert outline([message]) == [("turn_1.end", role, content)]
    assert {name: message[name] for name in message.keys() & {"code"}} == more
    assert message["created_at"] == "1970-01-01T00:00:02.000Z"
    assert turn_messages(ended(TurnStatus.DONE), []) == []


def test_of_a_long_result_both_ends_are_shown() -> None:
    longest, long = "x" * 20_000, "a" * 8_000 + "b" * 4_001 + "c" * 8_000

    tools = [turn_messages(TURN, [said(calls=CALLS[:1]), result(text)])[0]["tool"] for text in (longest, long)]

    assert [(tool["truncated"], tool["full_size"]) for tool in tools] == [(False, 20_000), (True, 20_001)]
    assert tools[0]["result"] == longest
    assert tools[1]["result"] == f"{'a' * 8_000}\n[… 4,001 characters are left out here …]\n{'c' * 8_000}"


def test_a_page_that_folds_results_away_gets_less_of_them() -> None:
    texts = ["x" * 2_000, "a" * 800 + "b" * 401 + "c" * 800, "a" * 20_001]
    pages = [turn_messages(TURN, [said("words", calls=CALLS[:1]), result(text)]) for text in texts]
    pages.append(turn_messages(TURN, [said(calls=CALLS[:1])]))

    for page in pages:
        shorten_results(page)

    assert [page[-1]["content"] for page in pages] == [""] * 4
    assert pages[0][0]["content"] == "words"
    tools = [page[-1]["tool"] for page in pages]
    assert [tool["truncated"] for tool in tools] == [False, True, True, False]
    assert tools[0]["result"] == texts[0]
    assert tools[1]["result"] == f"{'a' * 800}\n[… 401 characters are left out here …]\n{'c' * 800}"
    assert tools[2]["result"] == f"{'a' * 800}\n[… 18,401 characters are left out here …]\n{'a' * 800}"
    assert tools[3]["result"] is None


def test_of_a_long_diff_a_page_that_folds_it_away_gets_whole_lines_of_its_beginning() -> None:
    message = turn_messages(TURN, [said(calls=CALLS[:1]), result("done")])[0]
    line = "+" + "x" * 98 + "\n"
    short, long = line * 200, line * 201
    message["tool"]["changes"] = [{"path": "a", "diff": short}, {"path": "b", "diff": long}]

    shorten_results([message])

    first, second = message["tool"]["changes"]
    assert first == {"path": "a", "diff": short}
    assert second == {"path": "b", "diff": line * 80 + "[… more …]"}
