"""Thoughts and calls that a model writes into its text, as endpoints send them when they leave the template alone."""

import re

import orjson
import pytest

from wakeful.agent.providers.base import AnswerReasoning, AnswerText, Finished
from wakeful.agent.providers.endpoint_errors import EndpointErrors
from wakeful.agent.providers.openai.answer_builder import AnswerBuilder
from wakeful.model.journal.message import AssistantMessage
from wakeful.tools.base import ToolSpec

_PROPERTIES = {"path": {"type": "string"}, "offset": {"type": "integer"}}
TOOLS = [
    ToolSpec("read_file", "reads", {"type": "object", "properties": _PROPERTIES}),
    ToolSpec("list_files", "lists", {"type": "object", "properties": {}}),
]


def answer(text: str, size: int, end: str = "stop") -> tuple[str, str, AssistantMessage]:
    """Return the thoughts and the words that were shown, and the finished message, of a text in pieces of a size."""
    builder = AnswerBuilder(EndpointErrors("http://model/v1", secret=""), "local", taken_ids=(), tools=TOOLS)
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    parts = [part for piece in pieces for part in builder.add({"choices": [{"delta": {"content": piece}}]})]
    parts += builder.add({"choices": [{"delta": {}, "finish_reason": end}]}) + builder.finish()
    thought = "".join(part.text for part in parts if isinstance(part, AnswerReasoning))
    words = "".join(part.text for part in parts if isinstance(part, AnswerText))
    finished = parts[-1]
    assert isinstance(finished, Finished)
    return thought, words, finished.message


def calls_in(message: AssistantMessage) -> list[tuple[str, object]]:
    return [(call.name, orjson.loads(call.arguments)) for call in message.calls]


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize(
    ("text", "thought", "words"),
    [
        ("<think>Let me see.</think>\n\nIt is 4.", "Let me see.", "It is 4."),
        ("\n<thinking>\nLet me see.</thinking>It is 4.", "Let me see.", "It is 4."),
        ("<think></think>\n\nIt is 4.", "", "It is 4."),
        ("<think>a < b and <i>c</i></think>yes", "a < b and <i>c</i>", "yes"),
        ("Say <think> to begin.", "", "Say <think> to begin."),
        ("<thing>is no thought</thing>", "", "<thing>is no thought</thing>"),
        ("1 < 2, [a] and <", "", "1 < 2, [a] and <"),
    ],
)
def test_thoughts_in_tags_are_reasoning(text: str, thought: str, words: str, size: int) -> None:
    shown_thought, shown_words, message = answer(text, size)
    assert (shown_thought, shown_words) == (thought, words)
    assert (message.reasoning, message.text) == (thought, words)


@pytest.mark.parametrize("size", [1, 1000])
def test_thoughts_that_the_template_has_opened_are_reasoning_in_the_finished_answer(size: int) -> None:
    _, shown, message = answer("Let me see.\n</think>\n\nIt is 4.", size)
    assert "Let me see." in shown
    assert (message.reasoning, message.text) == ("Let me see.", "It is 4.")


def deepseek(text: str) -> str:
    """Return a text with the wide bars and low blocks of DeepSeek's tags, which are written as | and _ here."""
    return re.sub(r"<\|(\w+)\|>", lambda tag: f"<\uff5c{tag[1].replace('_', chr(0x2581))}\uff5c>", text)


READ = ("read_file", {"path": "a.txt", "offset": 2})
LIST: tuple[str, object] = ("list_files", {})


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize(
    ("text", "words", "calls"),
    [
        (
            'Reading.\n<tool_call>\n{"name": "read_file", "arguments": {"path": "a.txt", "offset": 2}}\n</tool_call>\n'
            '<tool_call>\n{"name": "list_files", "arguments": {}}\n</tool_call>',
            "Reading.\n",
            [READ, LIST],
        ),
        (
            "<tool_call>\n<function=read_file>\n<parameter=path>\na.txt\n</parameter>\n<parameter=offset>\n2\n"
            "</parameter>\n</function>\n</tool_call>",
            "",
            [READ],
        ),
        ('<function=read_file>{"path": "a.txt", "offset": 2}</function>', "", [READ]),
        (
            '[TOOL_CALLS][{"name": "read_file", "arguments": {"path": "a.txt", "offset": 2}}, {"name": "list_files", '
            '"arguments": "{}"}]',
            "",
            [READ, LIST],
        ),
        ('[TOOL_CALLS]read_file[ARGS]{"path": "a.txt", "offset": 2}', "", [READ]),
        (
            '<|python_tag|>{"name": "read_file", "parameters": {"path": "a.txt", "offset": 2}}; '
            '{"name": "list_files", "parameters": {}}<|eom_id|>',
            "",
            [READ, LIST],
        ),
        (
            deepseek(
                "<|tool_calls_begin|><|tool_call_begin|>function<|tool_sep|>read_file\n```json\n"
                '{"path": "a.txt", "offset": 2}\n```<|tool_call_end|><|tool_calls_end|>'
            ),
            "",
            [READ],
        ),
        (
            deepseek(
                '<|tool_calls_begin|><|tool_call_begin|>read_file<|tool_sep|>{"path": "a.txt", "offset": 2}'
                "<|tool_call_end|><|tool_calls_end|>"
            ),
            "",
            [READ],
        ),
        ('<think>hm</think>\n<tool_call>{"name": "list_files", "arguments": {}}</tool_call>', "", [LIST]),
    ],
)
def test_a_call_in_the_form_of_a_template_is_a_call_and_not_shown(
    text: str, words: str, calls: list[tuple[str, object]], size: int
) -> None:
    _, shown, message = answer(text, size)
    assert shown == message.text == words
    assert calls_in(message) == calls


def test_a_bare_call_is_shown_but_the_finished_answer_has_the_call_alone() -> None:
    _, shown, message = answer('{"name": "list_files", "parameters": {}}', 5)
    assert shown
    assert message.text == ""
    assert calls_in(message) == [LIST]


@pytest.mark.parametrize("size", [1, 1000])
@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "no_such_tool", "arguments": {}}</tool_call>',
        '<tool_call>{"name": "read_file", "arguments": {"path": "a',
        'It looks like this:\n```\n<tool_call>{"name": "list_files", "arguments": {}}</tool_call>\n```\nas you see.',
        '{"name": "Ann", "arguments": {}}',
        '{"name": "list_files", "arguments": {}, "why": "an object of the user"}',
        "[TOOL_CALLS]",
        "<tool_call>[]</tool_call>",
    ],
)
def test_what_only_looks_like_a_call_stays_text(text: str, size: int) -> None:
    _, shown, message = answer(text, size)
    assert shown == message.text == text
    assert message.calls == ()


@pytest.mark.parametrize("size", [1, 3, 4, 1000])
def test_a_call_after_an_empty_code_block_is_one_however_its_fences_are_cut(size: int) -> None:
    _, _, message = answer('``````\n<tool_call>{"name": "list_files", "arguments": {}}</tool_call>', size)

    assert calls_in(message) == [("list_files", {})]


def test_a_proper_call_beside_a_written_one_leaves_the_text_alone() -> None:
    builder = AnswerBuilder(EndpointErrors("http://model/v1", secret=""), "local", taken_ids=(), tools=TOOLS)
    text = '<tool_call>{"name": "list_files", "arguments": {}}</tool_call>'
    proper = [{"index": 0, "id": "a", "function": {"name": "read_file", "arguments": "{}"}}]
    builder.add({"choices": [{"delta": {"content": text, "tool_calls": proper}, "finish_reason": "tool_calls"}]})
    finished = builder.finish()[-1]
    assert isinstance(finished, Finished)
    assert finished.message.text == text
    assert calls_in(finished.message) == [("read_file", {})]
