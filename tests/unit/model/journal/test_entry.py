"""What of an answer goes into its entry, and what comes out."""

import orjson
import pytest

from wakeful.model.files.attachment import Attachment
from wakeful.model.journal.change import Change, ChangeKind
from wakeful.model.journal.entry import (
    REASONING,
    TEXT,
    WHOLE,
    Entry,
    EntryKind,
    EntryPart,
    answer_entry,
    answer_of,
    attachments_of,
    calls_in,
    input_entry,
    input_message,
    is_gone,
    model_changes_of,
    model_of,
    parts_of,
    result_entry,
    result_message,
    spend_of,
    summary_entry,
    summary_of,
    usage_of,
    with_change_undone,
    without,
    without_words,
)
from wakeful.model.journal.fact import Answered, ModelChanged
from wakeful.model.journal.message import AssistantMessage, NativeParts, ToolCall, ToolMessage, Usage, UserMessage
from wakeful.model.journal.summary import CompactionReason, Summary
from wakeful.model.journal.transcript import fold
from wakeful.model.spend import Spend

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


def test_a_result_keeps_the_files_that_it_changes_and_shows_and_the_pictures_that_the_model_sees() -> None:
    change = Change("a.py", ChangeKind.CHANGED, 1, 2, "@@", undoable=True)
    shown = Attachment("file_1", "chart.png", "image/png", 7, owner="ann", session_id="s1")
    entry = result_entry(
        "t1",
        1,
        1,
        call_id="c1",
        text="drawn",
        seconds=0.1,
        changes=[change],
        images=["attachment:file_1"],
        shows=[shown],
    )

    assert result_message(entry) == ToolMessage("c1", "drawn", images=("attachment:file_1",))
    assert attachments_of(entry) == [{"id": "file_1", "name": "chart.png", "type": "image/png", "size": 7}]
    assert entry.data["changes"] == [change.fields]
    assert with_change_undone(entry).data == entry.data | {"changes": [change.fields | {"undone": True}]}


def test_a_result_without_files_says_nothing_of_them() -> None:
    plain = result_entry("t1", 1, 1, call_id="c1", text="done", seconds=0.1)

    assert plain.data == {"call_id": "c1", "text": "done", "seconds": 0.1, "is_error": False}


def test_a_message_comes_with_its_files_and_pictures() -> None:
    file = Attachment("file_1", "a.txt", "text/plain", 7)
    data = {"text": "look", "images": ["data:1"], "attachments": [file.fields]}

    assert input_message(input_entry("t1", 0, 0, data)) == UserMessage("look", ("data:1",), files=(file,))


def test_the_models_that_failed_before_an_answer_are_kept_with_it() -> None:
    changed = ModelChanged(1, "a:big", "b:small", "model_credit", "no credit")
    answer = Answered(1, AssistantMessage("Yes."), Usage(1, 2), model="b:small", cost_usd=0.5, changes=(changed,))
    entry = answer_entry("t1", answer)

    assert model_changes_of(entry) == [changed.fields]
    assert (model_of(entry), spend_of(entry)) == ("b:small", Spend(1, 2, 0.5))
    assert model_changes_of(_entry(AssistantMessage("Yes."))) == []


def test_calls_are_those_of_an_answer_or_of_what_a_client_brings() -> None:
    brought = {"role": "assistant", "text": "", "calls": [{"id": "c1", "name": "look", "arguments": "{}"}]}

    assert calls_in(_entry(_SIGNED)) == calls_in(input_entry("t1", 0, 0, brought)) == (_CALL,)
    assert calls_in(input_entry("t1", 0, 0, {"text": "go"})) == ()
    assert calls_in(result_entry("t1", 1, 1, call_id="c1", text="seen", seconds=0.1)) == ()


def test_an_answer_is_gone_when_neither_words_nor_calls_are_left() -> None:
    entry = _entry(_SIGNED)

    assert [is_gone(left) for left in (entry, without(entry, TEXT), without(entry, 1))] == [False] * 3
    assert is_gone(without(without(entry, TEXT), 1))
    assert is_gone(without(input_entry("t1", 0, 0, {"text": "go"}), WHOLE))


def test_of_a_deleted_summary_only_its_cost_stays() -> None:
    summary = Summary(
        "all", "t1.0.0", ("Be kind.",), ("go",), ("make",), CompactionReason.AUTO, 9, 5, "a:big", Usage(7, 3), 0.5,
        todo=("- 1 (done): it",),
    )  # fmt: skip
    emptied = without_words(summary_entry("t1", 2, summary))

    left = summary_of(emptied)
    assert is_gone(emptied)
    assert (left.words, left.instructions, left.said, left.work, left.todo) == ("", (), (), (), ())
    assert (left.keeps_from, left.spend) == ("t1.0.0", summary.spend)
