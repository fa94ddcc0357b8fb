"""Answers of the Messages API, built from their events."""

from typing import Any

import pytest

from wakeful.agent.providers.anthropic.message_builder import MessageBuilder
from wakeful.agent.providers.base import AnswerPart, AnswerReasoning, AnswerText, Finished
from wakeful.agent.providers.endpoint_errors import EndpointErrors
from wakeful.errors import ModelError
from wakeful.model.journal.message import ToolCall, Usage

Event = tuple[str, dict[str, Any]]


def builder() -> MessageBuilder:
    return MessageBuilder(EndpointErrors("http://model/v1/messages", secret=""), "claude")


def begun(**usage: Any) -> Event:
    return "message_start", {"message": {"usage": usage}}


def block(kind: str, *deltas: dict[str, Any], **start: Any) -> list[Event]:
    return [
        ("content_block_start", {"content_block": {"type": kind, **start}}),
        *(("content_block_delta", {"delta": delta}) for delta in deltas),
        ("content_block_stop", {}),
    ]


def text(*words: str) -> list[Event]:
    return block("text", *({"type": "text_delta", "text": word} for word in words), text="")


def ended(reason: str | None = "end_turn", **usage: Any) -> list[Event]:
    return [("message_delta", {"delta": {"stop_reason": reason}, "usage": usage}), ("message_stop", {})]


def parts_of(answer: MessageBuilder, *events: Event) -> list[AnswerPart]:
    return [part for kind, data in events for part in answer.add({"type": kind, **data})]


def built(*events: Event) -> Finished:
    answer = builder()
    parts_of(answer, begun(), *events)
    answer.require_end()
    return answer.finish()


def test_words_and_thoughts_are_given_out_as_they_come() -> None:
    thought = block(
        "thinking", {"type": "thinking_delta", "thinking": "Hm"}, {"type": "signature_delta", "signature": "s"}
    )

    parts = parts_of(builder(), *thought, *text("Yes", "."))

    assert parts == [AnswerReasoning("Hm"), AnswerText("Yes"), AnswerText(".")]


def test_two_thoughts_are_parted_and_each_keeps_its_signature() -> None:
    thoughts = [
        event
        for word, sign in (("One", "s1"), ("", "s2"), ("Two", "s3"))
        for event in block(
            "thinking", {"type": "thinking_delta", "thinking": word}, {"type": "signature_delta", "signature": sign}
        )
    ]

    message = built(*thoughts, *text("Yes."), *ended()).message

    assert (message.reasoning, message.text) == ("One\n\nTwo", "Yes.")
    assert message.native is not None
    signed = [
        (part["block"]["thinking"], part["block"]["signature"]) for part in message.native.parts if "block" in part
    ]
    assert signed == [("One", "s1"), ("", "s2"), ("Two", "s3")]


def test_a_block_may_bring_its_first_words_itself() -> None:
    message = built(*block("thinking", thinking="Hm"), *block("text", text="Yes."), *ended()).message

    assert (message.reasoning, message.text) == ("Hm", "Yes.")


def test_a_call_in_pieces_is_one_and_one_without_arguments_has_none() -> None:
    pieces = [{"type": "input_json_delta", "partial_json": piece} for piece in ('{"at": ', '"a"}')]

    message = built(
        *block("tool_use", *pieces, id="t1", name="look", input={}),
        *block("tool_use", id="t2", name="wait", input={}),
        *ended("tool_use"),
    ).message

    assert message.calls == (ToolCall("t1", "look", '{"at": "a"}'), ToolCall("t2", "wait", "{}"))
    assert message.native is None


def test_blocks_of_other_kinds_go_back_as_they_came() -> None:
    found = block("web_search_tool_result", tool_use_id="s1", content=[])

    message = built(*found, *block("odd"), *text("Yes."), *ended()).message

    assert message.native is not None
    assert message.native.parts == (
        {"block": {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}},
        {"block": {"type": "odd"}},
        {"text": 4},
    )


def test_counts_at_the_end_replace_those_at_the_beginning_where_they_are_there() -> None:
    answer = builder()
    parts_of(
        answer,
        begun(input_tokens=3, cache_read_input_tokens=2, cache_creation_input_tokens=5, output_tokens=1),
        *text("Yes."),
        *ended(output_tokens=9, input_tokens=None, output_tokens_details={"thinking_tokens": 4}),
    )

    assert answer.usage == Usage(10, 9, cached_tokens=2, reasoning_tokens=4, cache_write_tokens=5)


def test_an_answer_that_pauses_is_counted_with_what_follows() -> None:
    answer = builder()
    parts_of(answer, begun(input_tokens=3), *text("One."), *ended("pause_turn", output_tokens=2))
    assert (answer.is_paused, answer.has_ended) == (True, True)

    assert answer.go_on().text == "One."
    assert not answer.has_ended
    parts_of(answer, begun(input_tokens=4), *text("Two."), *ended(output_tokens=3))

    assert not answer.is_paused
    assert (answer.finish().message.text, answer.usage) == ("One.Two.", Usage(7, 5))


@pytest.mark.parametrize(
    ("events", "code"),
    [
        (ended("refusal"), "content_filter"),
        (ended("model_context_window_exceeded"), "context_overflow"),
        (ended("max_tokens"), "output_limit"),
        ([*block("thinking", thinking="Hm"), *ended("max_tokens")], "output_limit"),
        ([*block("tool_use", id="t1", name="look", input={}), *ended("max_tokens")], "output_limit"),
        (text("Yes."), "model_stream_broken"),
        ([("error", {"error": {"type": "overloaded_error"}})], "model_unavailable"),
    ],
)
def test_an_answer_without_use_is_an_error(events: list[Event], code: str) -> None:
    with pytest.raises(ModelError) as caught:
        built(*events)

    assert caught.value.code == code


def test_an_answer_that_never_began_is_of_another_api() -> None:
    answer = builder()
    parts_of(answer, ("ping", {}), ("", {}))

    with pytest.raises(ModelError) as caught:
        answer.require_end()
    assert caught.value.code == "model_request"


def test_a_cut_answer_with_words_or_a_whole_call_is_one() -> None:
    whole = block("tool_use", {"type": "input_json_delta", "partial_json": "{}"}, id="t1", name="look")

    assert built(*text("Once"), *ended("max_tokens")).is_cut
    assert built(*whole, *ended("max_tokens")).is_cut
    assert not built(*text("Once"), *ended("end_turn")).is_cut
    assert not built(*text("Once"), *ended(None)).is_cut
