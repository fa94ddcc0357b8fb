from typing import Any

import pytest

from wakeful.agent.providers.base import AnswerPart, AnswerReasoning, AnswerText, Finished
from wakeful.agent.providers.endpoint_errors import EndpointErrors
from wakeful.agent.providers.openai.answer_builder import AnswerBuilder
from wakeful.errors import ModelError
from wakeful.model.journal.message import Usage


def _chunk(delta: dict[str, Any], finish_reason: str | None = None, **more: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}], **more}


def _build(*chunks: dict[str, Any]) -> list[AnswerPart]:
    builder = AnswerBuilder(EndpointErrors("http://model/v1/chat/completions", secret=""), "gemini", taken_ids=())
    return [part for chunk in chunks for part in builder.add(chunk)] + builder.finish()


def _finished(*chunks: dict[str, Any]) -> Finished:
    last = _build(*chunks)[-1]
    assert isinstance(last, Finished)
    return last


def _call(arguments: str) -> dict[str, Any]:
    return {"tool_calls": [{"index": 0, "id": "a", "function": {"name": "write_file", "arguments": arguments}}]}


def test_parts_add_up_to_the_finished_answer() -> None:
    parts = _build(
        _chunk({"role": "assistant", "content": ""}),
        _chunk({"reasoning_content": "hm "}),
        _chunk({"reasoning": "yes"}),
        _chunk({"content": "Hello "}),
        _chunk({"content": "you"}),
        _chunk({}, "stop"),
    )

    assert parts[:-1] == [AnswerReasoning("hm "), AnswerReasoning("yes"), AnswerText("Hello "), AnswerText("you")]
    assert isinstance(parts[-1], Finished)
    assert (parts[-1].message.text, parts[-1].message.reasoning) == ("Hello you", "hm yes")


def test_the_last_usage_counts_not_the_sum() -> None:
    details = {"prompt_tokens_details": {"cached_tokens": 3}, "completion_tokens_details": {"reasoning_tokens": 1}}
    finished = _finished(
        _chunk({"content": "a"}, usage={"prompt_tokens": 9, "completion_tokens": 1}),
        _chunk({"content": "b"}, usage=None),
        _chunk({}, "stop", usage={"prompt_tokens": 9, "completion_tokens": 2}),
        {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 4, **details}},
    )

    assert finished.usage == Usage(input_tokens=9, output_tokens=4, cached_tokens=3, reasoning_tokens=1)


def test_usage_with_empty_details_is_read() -> None:
    finished = _finished(_chunk({"content": "a"}, "stop", usage={"prompt_tokens": 9, "prompt_tokens_details": None}))

    assert finished.usage == Usage(input_tokens=9)


def test_content_in_blocks_is_read() -> None:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    parts = _build(_chunk({"content": [thinking, {"type": "text", "text": "Hello"}]}), _chunk({}, "stop"))

    assert parts[:-1] == [AnswerReasoning("hm"), AnswerText("Hello")]


def test_a_refusal_is_what_the_model_says() -> None:
    assert _finished(_chunk({"refusal": "No."}), _chunk({}, "stop")).message.text == "No."


def test_an_answer_that_was_not_streamed_is_read() -> None:
    message = {"role": "assistant", "content": "Hello", **_call("{}")}
    finished = _finished({"choices": [{"message": message, "finish_reason": "tool_calls"}]})

    assert finished.message.text == "Hello"
    assert finished.message.calls[0].name == "write_file"


def test_a_text_cut_at_the_output_limit_is_an_answer_marked_as_cut() -> None:
    finished = _finished(_chunk({"content": "Once upon"}), _chunk({}, "length"))

    assert finished.is_cut
    assert finished.message.text == "Once upon"


def test_a_complete_call_before_the_output_limit_is_kept() -> None:
    finished = _finished(_chunk(_call('{"path": "a"}')), _chunk({}, "length"))

    assert finished.message.calls[0].arguments == '{"path": "a"}'


@pytest.mark.parametrize("delta", [_call('{"path": "a", "cont'), _call(""), {"reasoning_content": "hm"}])
def test_half_a_call_or_no_answer_at_the_output_limit_is_an_error(delta: dict[str, Any]) -> None:
    with pytest.raises(ModelError) as caught:
        _build(_chunk({"content": ""}), _chunk(delta), _chunk({}, "length"))

    assert (caught.value.code, caught.value.passing) == ("output_limit", False)


def test_a_content_filter_is_a_readable_error() -> None:
    with pytest.raises(ModelError, match="content filter") as caught:
        _build(_chunk({"content": "Once"}), _chunk({}, "content_filter"))

    assert (caught.value.code, caught.value.passing) == ("content_filter", False)


@pytest.mark.parametrize(
    "chunk",
    [
        {"error": {"message": "overloaded", "type": "server_error"}},
        {"error": {"message": "overloaded", "code": 503}},
        {"error": "overloaded", "choices": []},
        {"object": "error", "message": "overloaded"},
    ],
)
def test_an_error_object_in_the_stream_is_raised(chunk: dict[str, Any]) -> None:
    with pytest.raises(ModelError, match="overloaded") as caught:
        _build(_chunk({"content": "Once"}), chunk)

    assert (caught.value.code, caught.value.passing) == ("model_unavailable", True)


def test_an_answer_that_ends_in_an_error_is_broken() -> None:
    with pytest.raises(ModelError) as caught:
        _build(_chunk({"content": "Once"}), _chunk({}, "error"))

    assert (caught.value.code, caught.value.passing) == ("model_stream_broken", True)


def test_a_call_that_never_got_a_name_is_broken() -> None:
    with pytest.raises(ModelError) as caught:
        _build(_chunk({"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]}), _chunk({}, "tool_calls"))

    assert caught.value.code == "model_stream_broken"


@pytest.mark.parametrize("chunk", [{}, {"choices": None}, {"choices": [None]}, {"choices": [{"delta": None}]}])
def test_chunks_that_say_nothing_are_ignored(chunk: dict[str, Any]) -> None:
    assert _build(_chunk({"content": "a"}), chunk, _chunk({}, "stop"))[0] == AnswerText("a")


def test_half_an_emoji_at_the_end_is_replaced_and_shown() -> None:
    parts = _build(_chunk({"content": "a\ud83d"}), _chunk({}, "stop"))

    assert parts[:-1] == [AnswerText("a"), AnswerText("\N{REPLACEMENT CHARACTER}")]
