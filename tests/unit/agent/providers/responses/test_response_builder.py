"""Answers of the Responses API, built from their events."""

from typing import Any

import pytest

from wakeful.agent.providers.base import AnswerPart, AnswerReasoning, AnswerText, Finished
from wakeful.agent.providers.endpoint_errors import EndpointErrors
from wakeful.agent.providers.responses.response_builder import ResponseBuilder
from wakeful.errors import ModelError
from wakeful.model.journal.message import ToolCall, Usage

Event = tuple[str, dict[str, Any]]


def builder() -> ResponseBuilder:
    return ResponseBuilder(EndpointErrors("http://model/v1/responses", secret=""), "openai")


def parts_of(answer: ResponseBuilder, *events: Event) -> list[AnswerPart]:
    return [part for kind, data in events for part in answer.add({"type": f"response.{kind}", **data})]


def said(*words: str, phase: str | None = None) -> list[Event]:
    item = {"type": "message", **({"phase": phase} if phase else {})}
    deltas: list[Event] = [("output_text.delta", {"delta": word}) for word in words]
    return [("output_item.added", {"item": item}), *deltas, ("output_item.done", {"item": item})]


def ended(status: str = "completed", **response: Any) -> Event:
    return status, {"response": {"status": status, **response}}


def built(*events: Event) -> Finished:
    answer = builder()
    parts_of(answer, ("created", {}), *events)
    answer.require_end()
    return answer.finish()


def test_two_messages_of_one_answer_are_parted_by_a_blank_line() -> None:
    parts = parts_of(builder(), *said("One", "."), *said("Two."))

    assert parts == [AnswerText("One"), AnswerText("."), AnswerText("\n\n"), AnswerText("Two.")]


def test_thoughts_are_parted_too_and_their_items_go_back() -> None:
    item = {"type": "reasoning", "id": "rs_1", "encrypted_content": "x"}
    thinking: list[Event] = [
        ("reasoning_summary_part.added", {}),
        ("reasoning_summary_text.delta", {"delta": "One"}),
        ("reasoning_summary_part.added", {}),
        ("reasoning_text.delta", {"delta": "Two"}),
        ("output_item.done", {"item": item}),
    ]

    assert parts_of(builder(), *thinking) == [AnswerReasoning("One"), AnswerReasoning("\n\nTwo")]
    message = built(*thinking, *said("Yes.", phase="final"), ended()).message
    assert (message.reasoning, message.text) == ("One\n\nTwo", "Yes.")
    assert message.native is not None
    assert message.native.parts == ({"block": item}, {"text": 4, "phase": "final"})


def test_calls_and_refusals_are_a_part_of_the_answer() -> None:
    call = {"type": "function_call", "call_id": "c1", "name": "look", "arguments": ""}

    message = built(("refusal.delta", {"delta": "No."}), ("output_item.done", {"item": call}), ended()).message

    assert (message.text, message.calls, message.native) == ("No.", (ToolCall("c1", "look", "{}"),), None)


def test_an_item_without_a_kind_is_ignored() -> None:
    assert built(*said("Yes."), ("output_item.done", {"item": {}}), ended()).message.native is None


def test_the_endpoint_counts_at_the_end_also_where_it_fails() -> None:
    usage = {
        "input_tokens": 9,
        "output_tokens": 4,
        "input_tokens_details": {"cached_tokens": 3, "cache_write_tokens": 2},
        "output_tokens_details": {"reasoning_tokens": 1},
    }
    counted = Usage(9, 4, cached_tokens=3, reasoning_tokens=1, cache_write_tokens=2)

    assert built(*said("Yes."), ended(usage=usage)).usage == counted
    failing = builder()
    with pytest.raises(ModelError, match="gone"):
        parts_of(failing, ("failed", {"response": {"error": {"message": "gone"}, "usage": usage}}))
    assert failing.usage == counted


@pytest.mark.parametrize(
    ("events", "code"),
    [
        ([*said("Yes."), ended("incomplete", incomplete_details={"reason": "content_filter"})], "content_filter"),
        ([ended("incomplete", incomplete_details={"reason": "max_output_tokens"})], "output_limit"),
        (
            [
                ("output_item.done", {"item": {"type": "function_call", "name": "look", "arguments": "{"}}),
                ended("incomplete"),
            ],
            "output_limit",
        ),
        (said("Yes."), "model_stream_broken"),
        ([("failed", {"response": {"error": {"code": "rate_limit_exceeded"}}})], "model_rate_limited"),
    ],
)
def test_an_answer_without_use_is_an_error(events: list[Event], code: str) -> None:
    with pytest.raises(ModelError) as caught:
        built(*events)

    assert caught.value.code == code


@pytest.mark.parametrize(
    "complaint", [{"error": {"code": "rate_limit_exceeded"}}, {"code": "rate_limit_exceeded", "message": "slow"}]
)
def test_an_error_may_stand_alone_or_in_an_object(complaint: dict[str, Any]) -> None:
    with pytest.raises(ModelError) as caught:
        builder().add({"type": "error", **complaint})

    assert caught.value.code == "model_rate_limited"


def test_words_that_reached_the_limit_are_a_cut_answer() -> None:
    assert built(*said("Once"), ended("incomplete")).is_cut
    assert not built(*said("Once"), ended()).is_cut


def test_half_a_character_at_the_end_is_shown_although_its_item_never_ended() -> None:
    answer = builder()
    parts = parts_of(
        answer,
        ("reasoning_text.delta", {"delta": "a\ud83d"}),
        ("output_text.delta", {"delta": "b\ud83d"}),
        ended(),
    )

    assert parts == [AnswerReasoning("a"), AnswerText("b"), AnswerReasoning("\ufffd"), AnswerText("\ufffd")]
    assert answer.has_ended


def test_an_answer_that_never_began_is_of_another_api() -> None:
    answer = builder()
    parts_of(answer, ("in_progress", {}))

    with pytest.raises(ModelError) as caught:
        answer.require_end()
    assert caught.value.code == "model_request"
