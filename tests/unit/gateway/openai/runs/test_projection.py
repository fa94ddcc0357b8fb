"""The events of a run, and the run object."""

from collections.abc import Sequence
from dataclasses import replace

import msgspec
import pytest
from hypothesis import given

from tests.unit.gateway.openai.kit import (
    ENDED_AT,
    TURN,
    abandoned,
    cancelled,
    data_of,
    done,
    failed,
    log,
    reasoning,
    result,
    token,
    tool,
    usage,
    with_words,
)
from tests.unit.gateway.openai.logs import randomly, spoken, turn_logs
from wakeful.gateway.openai.frames import NumberedFrame
from wakeful.gateway.openai.runs.projection import RunProjection
from wakeful.model import event as events
from wakeful.model.event import Event, NewEvent, StreamItem
from wakeful.model.words import REASONING, TOKEN, Word, WordsEnd, WordsHead

ENDS = {"run.completed", "run.failed", "run.cancelled"}


def fold(turn_log: Sequence[StreamItem], projection: RunProjection | None = None) -> list[NumberedFrame]:
    projection = projection or RunProjection("run_1", TURN)
    return [frame for item in turn_log for frame in projection.feed(item)]


def question(call_id: str) -> Event:
    """An event of the session: it has no turn."""
    data = {
        "session_id": "s",
        "call_id": call_id,
        "task_id": None,
        "command": "rm -r /",
        "danger": "unclear",
        "reason": "hides what it does",
        "choices": ["once", "deny"],
        "expires_at": "2026-11-15T12:00:00Z",
    }
    asked = log(NewEvent.of(events.APPROVAL_REQUIRED, data))[-1]
    return replace(asked, turn_id=None, turn_seq=None)


def test_a_run_streams_its_words_and_its_tools_and_then_its_end() -> None:
    new_events = [
        reasoning("Hm"),
        token("Look."),
        tool("c1"),
        usage(),
        result("c1", "a b"),
        token("Two.", 2),
        usage(2),
        done(),
    ]

    frames = fold(log(*new_events))

    assert [(frame.number, frame.type) for frame in frames] == [
        (0, "message.delta"),
        (1, "tool.started"),
        (2, "tool.completed"),
        (3, "message.delta"),
        (4, "run.completed"),
    ]
    head = {"run_id": "run_1", "timestamp": ENDED_AT}
    called = {"step": 1, "call_id": "c1", "tool": "terminal"}
    ended = {"result": "a b", "is_error": False, "duration": 0.5}
    assert [data_of(frame) for frame in frames[:3]] == [
        head | {"event": "message.delta", "sequence_number": 0, "step": 1, "delta": "Look."},
        head | {"event": "tool.started", "sequence_number": 1, **called, "arguments": '{"a":1}'},
        head | {"event": "tool.completed", "sequence_number": 2, **called, **ended},
    ]


@pytest.mark.parametrize("is_error", [True, False])
def test_a_run_shows_whether_a_call_failed(is_error: bool) -> None:
    frames = fold(log(tool("c1"), result("c1", is_error=is_error), done()))

    assert data_of(frames[1])["is_error"] is is_error


def test_a_completed_run_has_its_output_and_its_usage() -> None:
    projection = RunProjection("run_1", TURN)

    frames = fold(log(token("Hel"), token("lo"), usage(), done()), projection)

    run = msgspec.to_builtins(projection.run())
    assert (run["run_id"], run["status"], run["output"], run["error"]) == ("run_1", "completed", "Hello", None)
    assert run["usage"]["total_tokens"] == 15
    assert data_of(frames[-1]).items() >= run.items()


def test_a_run_is_queued_until_its_turn_opens_and_then_running_without_usage() -> None:
    projection = RunProjection("run_1", TURN)
    before = msgspec.to_builtins(projection.run())["status"]

    fold(log(token("Hel"), usage()), projection)

    assert before == "queued"
    assert msgspec.to_builtins(projection.run()) == {
        "run_id": "run_1",
        "status": "running",
        "output": "Hel",
        "usage": None,
        "error": None,
        "incomplete_details": None,
    }


def test_abandoned_words_are_taken_back() -> None:
    frames = fold(log(token("Hel"), abandoned(), token("Hello"), done()))

    assert [frame.type for frame in frames[:3]] == ["message.delta", "step.abandoned", "message.delta"]
    assert data_of(frames[1])["step"] == 1
    assert data_of(frames[-1])["output"] == "Hello"


def test_other_ends_say_which_they_are() -> None:
    failure = data_of(fold(log(token("Hel"), failed("model_auth", "No.")))[-1])
    stop = data_of(fold(log(token("Hel"), cancelled()))[-1])
    cut = data_of(fold(log(token("Hel"), done("max_output_tokens")))[-1])

    assert (failure["event"], failure["error"]) == ("run.failed", {"code": "model_auth", "message": "No."})
    assert (stop["event"], stop["output"]) == ("run.cancelled", "Hel")
    assert (cut["event"], cut["incomplete_details"]) == ("run.completed", {"reason": "max_output_tokens"})


def test_a_question_of_its_session_is_streamed_with_the_choices() -> None:
    (frame,) = fold([*log(), question("c1")])

    data = data_of(frame)
    assert (frame.type, data["call_id"], data["command"]) == ("approval.required", "c1", "rm -r /")
    assert data["choices"] == ["once", "deny"]


def test_other_turns_are_ignored() -> None:
    own = log(token("Hi"), done())
    foreign = [replace(event, turn_id="turn_other") for event in log(token("No"), done())]

    frames = fold([question("c0"), *foreign, *own[:2], *foreign, *own[2:], question("c9"), *foreign])

    assert frames == fold(own)


def test_a_word_has_the_time_of_the_fact_before_it() -> None:
    started, asked, ended = log(done())
    word = Word(WordsHead("s", TURN, 1, asked.session_seq), 1, TOKEN, "Hi")

    frames = fold([started, replace(asked, at=7.0), word, ended])

    assert [data_of(frame)["timestamp"] for frame in frames] == [7.0, ENDED_AT]


def test_words_of_another_turn_are_ignored() -> None:
    foreign = Word(WordsHead("s", "turn_other", 1, 9), 1, TOKEN, "No")

    assert fold([foreign, *log(), foreign, log(done())[-1]]) == fold(log(done()))


@pytest.mark.parametrize("seen", [0, 1, 2, 3])
def test_a_run_goes_on_above_every_number_that_lost_words_may_have_had(seen: int) -> None:
    head = WordsHead("s", TURN, 1, 9)
    words = [Word(head, number, kind, "x") for number, kind in enumerate([TOKEN, REASONING, TOKEN], start=1)]
    lost, ended = log(abandoned(), done())[2:]

    frames = fold([*log(), *words[:seen], replace(lost, ends=WordsEnd(1, 9, void=1000)), ended])

    assert [(frame.number, frame.type) for frame in frames[-2:]] == [(1000, "step.abandoned"), (1001, "run.completed")]


@randomly
@given(turn_logs())
def test_words_make_the_events_that_they_made_when_they_were_logged(turn_log: list[Event]) -> None:
    assert fold(with_words(turn_log)) == fold(turn_log)


@randomly
@given(turn_logs())
def test_a_run_is_numbered_without_a_gap_and_ends_once(turn_log: list[Event]) -> None:
    frames = fold(turn_log)

    assert [frame.number for frame in frames] == list(range(len(frames)))
    assert [frame for frame in frames if frame.type in ENDS] == frames[-1:]
    assert data_of(frames[-1])["output"] == spoken(turn_log)
