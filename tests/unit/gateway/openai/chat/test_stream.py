"""The stream of a chat completion, line by line, and what the official SDK makes of it."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import orjson
import pytest
from hypothesis import given
from openai import APIError
from openai.types.chat import ChatCompletionChunk

from tests.unit.gateway.openai.kit import (
    abandoned,
    cancelled,
    done,
    failed,
    log,
    reasoning,
    result,
    sdk,
    token,
    tool,
    usage,
    with_words,
)
from tests.unit.gateway.openai.logs import randomly, spoken, turn_logs
from wakeful.gateway.openai.chat.answer import ChatFacts
from wakeful.gateway.openai.chat.stream import ChatStream
from wakeful.gateway.openai.frames import DONE
from wakeful.model import event as events
from wakeful.model.event import Event, NewEvent, StreamItem

FACTS = ChatFacts("chatcmpl-1", "wakeful", 1_700_000_000)


def stream(turn_log: Iterable[StreamItem], *, includes_usage: bool = False) -> list[bytes]:
    projection = ChatStream(FACTS, includes_usage=includes_usage)
    return [line for item in turn_log for line in projection.feed(item)]


def chunk(line: bytes) -> dict[str, Any]:
    assert line.startswith(b"data: ")
    assert line.endswith(b"\n\n")
    data: dict[str, Any] = orjson.loads(line.removeprefix(b"data: "))
    return data


def deltas(lines: list[bytes]) -> list[dict[str, Any]]:
    return [chunk(line)["choices"][0]["delta"] for line in lines]


def test_the_role_comes_first_then_words_then_one_finish_reason_then_done() -> None:
    *lines, last = stream(log(token("Hel"), token("lo"), usage(), done()))

    assert deltas(lines) == [
        {"role": "assistant", "content": "", "refusal": None},
        {"content": "Hel"},
        {"content": "lo"},
        {},
    ]
    assert [chunk(line)["choices"][0]["finish_reason"] for line in lines] == [None, None, None, "stop"]
    assert last == DONE
    for line in lines:
        ChatCompletionChunk.model_validate(chunk(line))
        assert "usage" not in chunk(line)


def test_usage_comes_in_a_last_chunk_without_choices_where_it_was_asked_for() -> None:
    *lines, last, _ = stream(log(token("Hi"), usage(), done()), includes_usage=True)

    assert chunk(last)["choices"] == []
    assert chunk(last)["usage"]["total_tokens"] == 15
    assert [chunk(line)["usage"] for line in lines] == [None, None, None]
    ChatCompletionChunk.model_validate(chunk(last))


def test_server_tools_and_reasoning_send_nothing() -> None:
    new_events = [reasoning("Hm"), tool("c1"), usage(), result("c1"), token("Two.", 2), usage(2), done()]

    assert stream(log(*new_events)) == stream(log(token("Two."), done()))


def test_client_tools_are_tool_calls_in_the_order_of_the_model() -> None:
    new_events = [
        tool("c1", name="weather", arguments='{"in":"Rome"}', client=True),
        tool("c2", client=True),
        usage(),
        done(),
    ]

    with (
        sdk(b"".join(stream(log(*new_events)))) as client,
        client.chat.completions.stream(model="wakeful", messages=[{"role": "user", "content": "Hi"}]) as chat,
    ):
        final = chat.get_final_completion()

    calls = final.choices[0].message.tool_calls or []
    assert [(call.id, call.function.name, call.function.arguments) for call in calls] == [
        ("c1", "weather", '{"in":"Rome"}'),
        ("c2", "terminal", '{"a":1}'),
    ]
    assert final.choices[0].finish_reason == "tool_calls"


def test_an_answer_that_was_cut_off_has_reached_its_length() -> None:
    *_, last, _ = stream(log(token("Hel"), usage(), done("max_output_tokens")))

    assert chunk(last)["choices"][0]["finish_reason"] == "length"


def test_words_that_are_taken_back_end_the_stream_with_an_error() -> None:
    projection = ChatStream(FACTS, includes_usage=False)
    *before, last = log(token("Hel"), abandoned())
    for event in before:
        projection.feed(event)

    (line,) = projection.feed(last)

    assert chunk(line)["error"]["code"] == "stream_interrupted"
    assert projection.is_ended
    assert projection.feed(log(token("Hello"))[-1]) == []
    assert projection.feed(log(done())[-1]) == []


@pytest.mark.parametrize("before", [[], [reasoning("Hm", 2)]])
def test_a_step_abandoned_before_its_first_word_does_no_harm(before: list[NewEvent]) -> None:
    earlier = [token("Look."), tool("c1"), usage(), result("c1")]

    lines = stream(log(*earlier, *before, abandoned(2), token("Two.", 2), usage(2), done()))

    assert lines == stream(log(*earlier, token("Two.", 2), usage(2), done()))


@pytest.mark.parametrize(("last", "code"), [(failed("model_auth", "No."), "model_auth"), (cancelled(), "cancelled")])
def test_a_turn_that_fails_or_is_stopped_makes_the_sdk_raise(last: NewEvent, code: str) -> None:
    lines = stream(log(token("Hel"), last))

    with sdk(b"".join(lines)) as client, pytest.raises(APIError) as raised:
        for _ in client.chat.completions.create(model="wakeful", messages=[], stream=True):
            pass

    assert raised.value.code == code
    assert raised.value.type == "server_error"


@randomly
@given(turn_logs())
def test_a_stream_ends_once_with_an_error_or_with_all_that_was_said(turn_log: list[Event]) -> None:
    lines = stream(turn_log, includes_usage=True)
    chunks = [chunk(line) for line in lines if line != DONE]
    choices = [choice for data in chunks for choice in data.get("choices", [])]
    reasons = [choice["finish_reason"] for choice in choices if choice["finish_reason"]]

    if lines[-1] == DONE:
        assert len(reasons) == lines.count(DONE) == 1
        # Whitespace of abandoned steps may have been sent.
        sent = "".join(choice["delta"].get("content", "") for choice in choices)
        assert "".join(sent.split()) == "".join(spoken(turn_log).split())
    else:
        assert [data for data in chunks if "error" in data] == chunks[-1:]
        assert reasons == []
        assert any(event.kind in (events.STEP_ABANDONED, events.FAILED, events.CANCELLED) for event in turn_log)


@randomly
@given(turn_logs())
def test_words_make_the_lines_that_they_made_as_events(turn_log: list[Event]) -> None:
    assert stream(with_words(turn_log)) == stream(turn_log)


def test_a_model_of_any_name_leaves_the_lines_whole() -> None:
    projection = ChatStream(replace(FACTS, model='{"content":""}'), includes_usage=True)

    lines = [line for item in with_words(log(token("Hi"), done())) for line in projection.feed(item)]

    assert deltas(lines[:2])[1] == {"content": "Hi"}
    assert chunk(lines[1])["model"] == '{"content":""}'


def test_a_stream_that_breaks_off_says_so_in_its_last_line() -> None:
    error = chunk(ChatStream.break_off())["error"]

    assert (error["code"], error["message"]) == (
        "stream_interrupted",
        "The server is stopping; send the request again.",
    )
