"""What of an answer goes into its entry, and what comes out."""

import orjson
import pytest

from wakeful.model.journal.entry import (
    REASONING,
    TEXT,
    Entry,
    EntryKind,
    EntryPart,
    answer_entry,
    answer_of,
    input_entry,
    input_message,
    parts_of,
    result_entry,
    usage_of,
    without,
)
from wakeful.model.journal.fact import Answered
from wakeful.model.journal.message import AssistantMessage, NativeParts, ToolCall, ToolMessage, Usage
from wakeful.model.journal.transcript import fold

_CALL = ToolCall("c1", "look", "{}")
_THINKING = {"block": {"type": "thinking", "thinking": "hm", "signature": "c2ln"}}
_NATIVE = NativeParts("claude", "anthropic", (_THINKING, {"text": 4}, {"call": True}))
_SIGNED = AssistantMessage("Yes.", "hm", (_CALL,), native=_NATIVE)


def _entry(message: AssistantMessage) -> Entry:
    return answer_entry("t1", Answered(1, message, Usage(1, 2, cache_write_tokens=3)))


def test_native_parts_come_out_as_they_went_in() -> None:
    entry = _entry(_SIGNED)

    assert answer_of(entry) == _SIGNED
    assert usage_of(entry).cache_write_tokens == 3


def test_an_answer_without_native_parts_says_nothing_of_them() -> None:
    assert b"native" not in _entry(AssistantMessage("Yes.")).payload


@pytest.mark.parametrize("part", [TEXT, REASONING, 1])
def test_what_a_user_deletes_is_not_sent_back_in_another_form(part: EntryPart) -> None:
    assert answer_of(without(_entry(_SIGNED), part)).native is None


def test_an_older_entry_is_read() -> None:
    usage = {"input_tokens": 1, "output_tokens": 2, "cached_tokens": 0, "reasoning_tokens": 0}
    payload = orjson.dumps({"text": "Yes.", "reasoning": "", "calls": [], "usage": usage})
    entry = Entry("t1", 1, 0, EntryKind.ANSWER, payload)

    assert answer_of(entry) == AssistantMessage("Yes.")
    assert usage_of(entry) == Usage(1, 2)


def test_native_parts_belong_to_one_provider_and_one_api() -> None:
    assert _SIGNED.native_of("claude", "anthropic") == _NATIVE.parts
    assert _SIGNED.native_of("other", "anthropic") == ()
    assert _SIGNED.native_of("claude", "openai") == ()


def test_a_model_is_told_that_a_call_failed() -> None:
    asked = input_entry("t1", 0, 0, {"text": "go"})
    failed = result_entry("t1", 1, 1, call_id="c1", text="gone", seconds=0.1, is_error=True)

    assert fold([asked, _entry(_SIGNED), failed], "t1").messages[-1] == ToolMessage("c1", "gone", is_error=True)


def test_a_failure_that_a_client_sends_back_is_one() -> None:
    result = {"text": "gone", "is_error": True}
    data = {"role": "assistant", "text": "", "calls": [{"id": "c1", "name": "look", "arguments": "{}"}]}

    _, answer = parts_of(input_entry("t1", 0, 0, {**data, "result": result}))

    assert input_message(answer) == ToolMessage("c1", "gone", is_error=True)
