"""The fold of a journal into what the model reads."""

from dataclasses import replace
from typing import Any

import orjson

from wakeful.model.journal.entry import (
    REASONING,
    TEXT,
    WHOLE,
    Entry,
    answer_entry,
    input_entry,
    result_entry,
    summary_entry,
    summary_of,
    without,
)
from wakeful.model.journal.fact import Answered, Measure
from wakeful.model.journal.message import (
    AssistantMessage,
    Message,
    SummaryMessage,
    SystemMessage,
    ToolCall,
    ToolMessage,
    Usage,
    UserMessage,
)
from wakeful.model.journal.summary import CompactionReason, Summary
from wakeful.model.journal.transcript import INTERRUPTED, fold

ONE, TWO = ToolCall("c1", "look", "{}"), ToolCall("c2", "look", "{}")
CALLING = AssistantMessage("let me see", calls=(ONE, TWO))


def said(turn: str, text: str) -> Entry:
    return input_entry(turn, 0, 0, {"source": "user", "message_id": "m", "text": text})


def given(turn: str, index: int, **data: Any) -> Entry:
    """Something of any role, from a client."""
    return input_entry(turn, 0, index, {"text": "", **data})


def answered(turn: str, message: AssistantMessage, usage: Usage | None = None, **details: Any) -> Entry:
    return answer_entry(turn, Answered(1, message, usage or Usage(), **details))


def result(turn: str, index: int, call: ToolCall) -> Entry:
    return result_entry(turn, 1, index, call_id=call.id, text="seen", seconds=0.1)


def test_a_new_turn_has_nothing_behind_it_but_its_input() -> None:
    transcript = fold([said("t1", "hello")], "t1")
    assert transcript.messages == [UserMessage("hello")]
    assert (transcript.last_step, transcript.is_answered) == (0, False)


def test_a_turn_that_has_answered_has_nothing_left_to_do() -> None:
    transcript = fold([said("t1", "hello"), answered("t1", AssistantMessage("hi"), Usage(1, 7))], "t1")
    assert transcript.is_answered
    assert (transcript.last_step, transcript.output_tokens) == (1, 7)


def test_calls_without_a_result_stay_open_in_the_turn_that_goes_on() -> None:
    transcript = fold([said("t1", "go"), answered("t1", CALLING), result("t1", 2, TWO)], "t1")
    assert [(open_call.index, open_call.call) for open_call in transcript.open_calls] == [(1, ONE)]
    assert not transcript.is_answered


def test_calls_that_an_earlier_turn_left_open_are_answered_as_interrupted() -> None:
    entries = [said("t1", "go"), answered("t1", CALLING), result("t1", 1, ONE), said("t2", "and?")]
    transcript = fold(entries, "t2")
    expected: list[Message] = [
        ToolMessage("c1", "seen"),
        ToolMessage("c2", INTERRUPTED, is_error=True),
        UserMessage("and?"),
    ]
    assert transcript.messages[-3:] == expected
    assert transcript.open_calls == []


def test_they_are_answered_too_when_the_next_turn_has_no_input() -> None:
    transcript = fold([said("t1", "go"), answered("t1", CALLING)], "t2")
    assert transcript.messages[-2:] == [
        ToolMessage("c1", INTERRUPTED, is_error=True),
        ToolMessage("c2", INTERRUPTED, is_error=True),
    ]


def test_an_answer_of_an_earlier_turn_is_not_an_answer_of_this_one() -> None:
    transcript = fold([said("t1", "hello"), answered("t1", AssistantMessage("hi"), Usage(1, 7))], "t2")
    assert (transcript.is_answered, transcript.last_step, transcript.output_tokens) == (False, 0, 0)


def test_words_of_every_role_are_read_as_what_they_are() -> None:
    entries = [
        given("t1", 0, role="system", text="be brief"),
        given("t1", 1, role="developer", text="be kind"),
        given("t1", 2, role="user", text="look", images=["data:image/png;base64,AA=="]),
        given("t1", 3, role="assistant", text="let me see", calls=[{"id": "c1", "name": "look", "arguments": "{}"}]),
        given("t1", 4, role="tool", call_id="c1", text="a cat"),
    ]
    expected: list[Message] = [
        SystemMessage("be brief"),
        SystemMessage("be kind"),
        UserMessage("look", ("data:image/png;base64,AA==",)),
        AssistantMessage("let me see", calls=(ONE,)),
        ToolMessage("c1", "a cat"),
    ]
    assert fold(entries, "t1").messages == expected


def test_a_turn_whose_calls_are_all_for_the_client_has_nothing_left_to_do() -> None:
    entries = [said("t1", "go"), answered("t1", CALLING, client_calls=frozenset({1, 2}))]
    transcript = fold(entries, "t1")
    assert (transcript.is_answered, transcript.waits_for_client, transcript.open_calls) == (True, True, [])


def test_only_the_calls_that_are_ours_stay_open() -> None:
    entries = [said("t1", "go"), answered("t1", CALLING, client_calls=frozenset({1}))]
    transcript = fold(entries, "t1")
    assert [open_call.index for open_call in transcript.open_calls] == [2]
    assert (transcript.is_answered, transcript.waits_for_client) == (False, True)


def test_a_turn_that_waits_for_its_client_is_done_when_our_calls_have_results() -> None:
    entries = [said("t1", "go"), answered("t1", CALLING, client_calls=frozenset({1})), result("t1", 2, TWO)]
    transcript = fold(entries, "t1")
    assert (transcript.is_answered, transcript.waits_for_client, transcript.open_calls) == (True, True, [])


def test_the_client_answers_its_calls_in_the_next_turn() -> None:
    entries = [
        said("t1", "go"),
        answered("t1", CALLING, client_calls=frozenset({1, 2})),
        given("t2", 0, role="tool", call_id="c2", text="two"),
        given("t2", 1, role="tool", call_id="c1", text="one"),
        given("t2", 2, role="user", text="and?"),
    ]
    transcript = fold(entries, "t2")
    assert transcript.messages[2:] == [ToolMessage("c2", "two"), ToolMessage("c1", "one"), UserMessage("and?")]
    assert (transcript.waits_for_client, transcript.is_answered, transcript.open_calls) == (False, False, [])


def test_a_call_that_the_client_does_not_answer_is_answered_as_interrupted() -> None:
    entries = [
        said("t1", "go"),
        answered("t1", CALLING, client_calls=frozenset({1, 2})),
        given("t2", 0, role="tool", call_id="c1", text="one"),
    ]
    expected = [ToolMessage("c1", "one"), ToolMessage("c2", INTERRUPTED, is_error=True)]
    assert fold(entries, "t2").messages[2:] == expected
    assert fold([*entries, given("t2", 1, role="user", text="and?")], "t2").messages[2:4] == expected


def test_calls_that_the_client_brings_with_it_are_not_ours_to_run() -> None:
    call = {"id": "c1", "name": "look", "arguments": "{}"}
    transcript = fold([said("t1", "go"), given("t1", 1, role="assistant", calls=[call])], "t1")
    assert transcript.messages[-1] == ToolMessage("c1", INTERRUPTED, is_error=True)
    assert (transcript.open_calls, transcript.is_answered) == ([], False)


def test_an_answer_that_the_client_brings_in_pieces_is_one_message() -> None:
    calls = [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in (ONE, TWO)]
    entries = [
        given("t1", 0, role="user", text="go"),
        given("t1", 1, role="assistant", text=""),
        given("t1", 2, role="assistant", text="let me see"),
        *(given("t1", index, role="assistant", calls=[call]) for index, call in enumerate(calls, start=3)),
        given("t1", 5, role="tool", call_id="c1", text="one"),
        given("t1", 6, role="tool", call_id="c2", text="two"),
    ]
    expected = [UserMessage("go"), CALLING, ToolMessage("c1", "one"), ToolMessage("c2", "two")]
    assert fold(entries, "t1").messages == expected


def test_answers_without_calls_that_the_client_brings_stay_apart() -> None:
    entries = [given("t1", index, role="assistant", text=text) for index, text in enumerate(("one", "two"))]
    assert fold(entries, "t1").messages == [AssistantMessage("one"), AssistantMessage("two")]


def test_what_the_client_brings_is_no_part_of_an_answer_of_the_model() -> None:
    entries = [said("t1", "go"), answered("t1", AssistantMessage("hi")), given("t2", 0, role="assistant", text="")]
    assert fold(entries, "t2").messages[1:] == [AssistantMessage("hi"), AssistantMessage("")]


def test_an_answer_that_reached_the_output_limit_is_cut_until_another_follows() -> None:
    cut = answered("t1", AssistantMessage("so m"), is_cut=True)
    assert fold([said("t1", "hello"), cut], "t1").is_cut
    assert not fold([said("t1", "hello"), cut], "t2").is_cut
    whole = answer_entry("t1", Answered(2, AssistantMessage("more"), Usage()))
    assert not fold([said("t1", "hello"), cut, whole], "t1").is_cut


def test_words_that_joined_after_the_answer_have_to_be_answered_too() -> None:
    joined = input_entry("t1", 1, 1, {"text": "wait", "source": "user", "message_id": "m2"})
    assert not fold([said("t1", "hello"), answered("t1", AssistantMessage("hi")), joined], "t1").is_answered


def test_a_journal_of_the_version_before_is_read_as_one_without_calls_for_a_client() -> None:
    answer = answered("t1", CALLING)
    old = Entry(
        "t1", 1, 0, answer.kind, orjson.dumps({k: answer.data[k] for k in ("text", "reasoning", "calls", "usage")})
    )
    transcript = fold([said("t1", "go"), old], "t1")
    assert [open_call.index for open_call in transcript.open_calls] == [1, 2]
    assert (transcript.is_cut, transcript.waits_for_client) == (False, False)


def test_what_was_deleted_is_passed_over() -> None:
    deleted = without(answered("t1", AssistantMessage("hi", "hm")), TEXT)
    entries = [without(said("t1", "one"), WHOLE), deleted, said("t2", "two")]
    assert fold(entries, "t2").messages == [UserMessage("two")]


def test_the_text_of_an_answer_may_go_and_its_calls_stay() -> None:
    entries = [without(answered("t1", CALLING), TEXT), result("t1", 1, ONE), result("t1", 2, TWO), said("t2", "and?")]
    assert fold(entries, "t2").messages[0] == AssistantMessage("", calls=(ONE, TWO))


def test_a_deleted_call_is_not_open_and_the_others_keep_their_numbers() -> None:
    calling = without(without(answered("t1", CALLING), 1), REASONING)
    whole = [calling, without(result("t1", 1, ONE), WHOLE), result("t1", 2, TWO), said("t2", "and?")]
    without_result = [calling, said("t2", "and?")]
    left = AssistantMessage("let me see", calls=(TWO,))
    assert fold(whole, "t2").messages == [left, ToolMessage("c2", "seen"), UserMessage("and?")]
    assert fold(without_result, "t2").messages == [
        left,
        ToolMessage("c2", INTERRUPTED, is_error=True),
        UserMessage("and?"),
    ]


def test_words_about_something_deleted_are_not_deleted() -> None:
    assert fold([said("t1", 'he said "deleted"')], "t1").messages == [UserMessage('he said "deleted"')]


def test_an_output_without_a_call_and_a_second_one_are_strays() -> None:
    first, second = (given("t1", n, role="tool", call_id="c1", text=f"{n}") for n in (1, 2))
    unknown = given("t1", 3, role="tool", call_id="c9", text="x")
    call = given("t1", 0, role="assistant", calls=[{"id": "c1", "name": "look", "arguments": "{}"}])

    transcript = fold([call, first, second, unknown], "t1")

    assert transcript.messages == [AssistantMessage("", calls=(ONE,)), ToolMessage("c1", "1")]
    assert transcript.strays == [second, unknown]


def test_a_call_that_the_client_gives_back_with_its_result_is_answered() -> None:
    one = given("t", 0, role="assistant", calls=[{"id": "c1", "name": "look", "arguments": "{}"}])
    two = given(
        "t",
        1,
        role="assistant",
        calls=[{"id": "c2", "name": "look", "arguments": "{}"}],
        result={"text": "seen", "is_error": False},
    )

    messages = fold([one, two, given("t", 2, role="tool", call_id="c1", text="rain")], "t").messages

    # The client's own call of the same answer still waits for its output.
    assert messages == [AssistantMessage("", calls=(ONE, TWO)), ToolMessage("c2", "seen"), ToolMessage("c1", "rain")]


def summed_up(turn: str, step: int = 1, *, keeps_from: str = "", **details: Any) -> Entry:
    summary = Summary("short", keeps_from, (), (), (), CompactionReason.AUTO, 1_000, 50, "m", Usage())
    return summary_entry(turn, step, replace(summary, **details))


def test_a_summary_stands_for_all_before_what_it_keeps() -> None:
    entries = [
        *[said("t1", "one"), answered("t1", AssistantMessage("first"))],
        *[said("t2", "two"), answered("t2", AssistantMessage("second"))],
        *[said("t3", "three"), summed_up("t3", keeps_from="t2.1.0", instructions=("Be brief.",))],
    ]
    system, shown, *kept = fold(entries, "t3").messages
    assert system == SystemMessage("Be brief.")
    assert isinstance(shown, SummaryMessage)
    assert (shown.words, shown.origin) == ("short", "t3.1.0")
    assert kept == [AssistantMessage("second"), UserMessage("three")]
    # The journal of the context begins with the turn of the first kept entry.
    assert fold(entries[2:], "t3") == fold(entries, "t3")


def test_the_newest_summary_counts() -> None:
    entries = [said("t1", "one"), summed_up("t1"), said("t2", "two"), summed_up("t2", words="shorter")]
    [shown] = fold(entries, "t2").messages
    assert isinstance(shown, SummaryMessage)
    assert shown.words == "shorter"


def test_what_a_summary_keeps_stays_where_it_was_deleted_from() -> None:
    entries = [said("t1", "one"), said("t2", "two"), said("t3", "three"), summed_up("t3", keeps_from="t2.0.0")]
    entries[1] = without(entries[1], WHOLE)
    assert fold(entries, "t3").messages[1:] == [UserMessage("three")]


def test_a_turn_remembers_its_steps_and_calls_from_before_its_summary() -> None:
    entries = [said("t1", "go"), answered("t1", CALLING, Usage(9, 7)), result("t1", 1, ONE), result("t1", 2, TWO)]
    transcript = fold([*entries, summed_up("t1", 2, tokens_after=950)], "t1")
    assert (transcript.last_step, transcript.output_tokens, transcript.calls_made) == (2, 7, 2)
    assert (transcript.summaries, transcript.vain_summaries) == (1, 1)
    assert not transcript.is_answered
    # To a later turn they are nothing.
    assert fold([*entries, summed_up("t1", 2), said("t2", "and?")], "t2").summaries == 0


def test_the_context_is_measured_by_the_last_answer_or_summary() -> None:
    talk = [said("t1", "one"), answered("t1", AssistantMessage("first"), Usage(100, 20))]
    assert fold([*talk, said("t2", "two")], "t2").measure == Measure(120, 2)
    # An endpoint that does not count.
    assert fold([*talk, said("t2", "two"), answered("t2", AssistantMessage("second"))], "t2").measure == Measure(120, 2)
    # What it keeps was counted with all that was before.
    assert fold([*talk, summed_up("t2", keeps_from="t1.1.0")], "t2").measure == Measure(50, 2)


def test_messages_know_their_entries() -> None:
    notice = {"source": "process_wakeup", "notice": {"kind": "process"}}
    entries = [said("t1", "go"), answered("t1", CALLING), result("t1", 1, ONE), given("t2", 3, text="over", **notice)]
    messages = fold(entries, "t2").messages
    assert [known.origin for known in messages] == ["t1.0.0", "t1.1.0", "t1.1.1", "", "t2.0.3"]
    assert [isinstance(known, UserMessage) and known.is_notice for known in messages] == [False] * 4 + [True]


def test_a_summary_is_read_back_as_it_was_written() -> None:
    entry = summed_up("t1", said=("words",), work=("- proc_1",), usage=Usage(1, 2, 3, 4))
    assert summary_entry("t1", 1, summary_of(entry)) == entry
