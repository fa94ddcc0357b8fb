"""The fold of a journal into what the model reads."""

from wakeful.model.journal import Entry, answer_entry, input_entry, result_entry
from wakeful.model.message import AssistantMessage, Message, ToolCall, ToolMessage, Usage, UserMessage
from wakeful.model.transcript import INTERRUPTED, fold

ONE, TWO = ToolCall("c1", "look", "{}"), ToolCall("c2", "look", "{}")
CALLING = AssistantMessage("let me see", calls=(ONE, TWO))


def said(turn: str, text: str) -> Entry:
    return input_entry(turn, 0, 0, {"source": "user", "message_id": "m", "text": text})


def result(turn: str, index: int, call: ToolCall) -> Entry:
    return result_entry(turn, 1, index, call_id=call.id, text="seen", seconds=0.1)


def test_a_new_turn_has_nothing_behind_it_but_its_input() -> None:
    transcript = fold([said("t1", "hello")], "t1")
    assert transcript.messages == [UserMessage("hello")]
    assert (transcript.last_step, transcript.is_answered) == (0, False)


def test_a_turn_that_has_answered_has_nothing_left_to_do() -> None:
    transcript = fold([said("t1", "hello"), answer_entry("t1", 1, AssistantMessage("hi"), Usage(1, 7))], "t1")
    assert transcript.is_answered
    assert (transcript.last_step, transcript.output_tokens) == (1, 7)


def test_calls_without_a_result_stay_open_in_the_turn_that_goes_on() -> None:
    transcript = fold([said("t1", "go"), answer_entry("t1", 1, CALLING, Usage()), result("t1", 2, TWO)], "t1")
    assert [(open_call.index, open_call.call) for open_call in transcript.open_calls] == [(1, ONE)]
    assert not transcript.is_answered


def test_calls_that_an_earlier_turn_left_open_are_answered_as_interrupted() -> None:
    entries = [said("t1", "go"), answer_entry("t1", 1, CALLING, Usage()), result("t1", 1, ONE), said("t2", "and?")]
    transcript = fold(entries, "t2")
    expected: list[Message] = [ToolMessage("c1", "seen"), ToolMessage("c2", INTERRUPTED), UserMessage("and?")]
    assert transcript.messages[-3:] == expected
    assert transcript.open_calls == []


def test_they_are_answered_too_when_the_next_turn_brings_no_words_of_its_own() -> None:
    transcript = fold([said("t1", "go"), answer_entry("t1", 1, CALLING, Usage())], "t2")
    assert transcript.messages[-2:] == [ToolMessage("c1", INTERRUPTED), ToolMessage("c2", INTERRUPTED)]


def test_an_answer_of_an_earlier_turn_is_not_an_answer_of_this_one() -> None:
    transcript = fold([said("t1", "hello"), answer_entry("t1", 1, AssistantMessage("hi"), Usage(1, 7))], "t2")
    assert (transcript.is_answered, transcript.last_step, transcript.output_tokens) == (False, 0, 0)
