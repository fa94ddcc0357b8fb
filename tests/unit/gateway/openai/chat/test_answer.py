"""A chat completion as a whole."""

from typing import Any

import msgspec
from hypothesis import given
from openai.types.chat import ChatCompletion

from tests.unit.gateway.openai.kit import (
    abandoned,
    cancelled,
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
from wakeful.gateway.openai.chat.answer import ChatAnswer, ChatFacts
from wakeful.model.event import Event, NewEvent
from wakeful.wire.error_types import ApiFailure

FACTS = ChatFacts("chatcmpl-1", "wakeful", 1_700_000_000)


def answer_to(*new_events: NewEvent) -> ChatAnswer:
    answer = ChatAnswer()
    for item in with_words(log(*new_events)):
        answer.feed(item)
    return answer


def completion_of(*new_events: NewEvent) -> dict[str, Any]:
    made: dict[str, Any] = msgspec.to_builtins(answer_to(*new_events).completion(FACTS))
    return made


def test_an_answer_is_one_choice_that_stops() -> None:
    completion = completion_of(token("Hel"), token("lo"), usage(), done())

    message: dict[str, Any] = {"role": "assistant", "content": "Hello", "refusal": None, "annotations": []}
    assert completion["choices"] == [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}]
    assert (completion["id"], completion["object"], completion["created"]) == (
        "chatcmpl-1",
        "chat.completion",
        1_700_000_000,
    )
    ChatCompletion.model_validate(completion)


def test_server_tools_and_reasoning_are_invisible() -> None:
    new_events = [reasoning("Hm"), tool("c1"), usage(), result("c1"), token("Two.", 2), usage(2), done()]

    choice = completion_of(*new_events)["choices"][0]

    assert choice["message"] == {"role": "assistant", "content": "Two.", "refusal": None, "annotations": []}
    assert choice["finish_reason"] == "stop"


def test_usage_is_the_sum_of_the_steps() -> None:
    completion = completion_of(tool("c1"), usage(), result("c1"), usage(2, tokens=(20, 7, 0, 1)), done())

    assert completion["usage"] == {
        "prompt_tokens": 30,
        "completion_tokens": 12,
        "total_tokens": 42,
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 3},
    }


def test_client_tools_are_tool_calls() -> None:
    choice = completion_of(tool("c1", name="weather", arguments='{"in":"Rome"}', client=True), usage(), done())[
        "choices"
    ][0]

    function = {"name": "weather", "arguments": '{"in":"Rome"}'}
    assert choice["message"]["tool_calls"] == [{"id": "c1", "type": "function", "function": function}]
    assert choice["message"]["content"] is None
    assert choice["finish_reason"] == "tool_calls"


def test_an_answer_that_was_cut_off_has_reached_its_length() -> None:
    assert completion_of(token("Hel"), usage(), done("max_output_tokens"))["choices"][0]["finish_reason"] == "length"


def test_abandoned_words_are_not_in_the_answer() -> None:
    completion = completion_of(token("Hel"), abandoned(), token("Hello"), usage(), done())

    assert completion["choices"][0]["message"]["content"] == "Hello"


def test_a_failure_is_an_error_with_its_code() -> None:
    answer = answer_to(token("Hel"), failed("model_auth", "The key was refused."))

    assert answer.error == ApiFailure(message="The key was refused.", type="server_error", code="model_auth")


def test_a_stopped_turn_is_an_error_too_and_a_running_or_completed_one_is_none() -> None:
    cancelled_error = answer_to(cancelled()).error

    assert cancelled_error is not None
    assert (cancelled_error.code, cancelled_error.message) == ("cancelled", "The turn was stopped.")
    assert answer_to(token("Hel")).error is None
    assert answer_to(token("Hel"), done()).error is None


@randomly
@given(turn_logs(ends=True))
def test_the_content_is_what_was_said_and_not_taken_back(turn_log: list[Event]) -> None:
    answer = ChatAnswer()
    for event in turn_log:
        answer.feed(event)

    completion = ChatCompletion.model_validate(msgspec.to_builtins(answer.completion(FACTS)))

    assert (completion.choices[0].message.content or "") == spoken(turn_log)
