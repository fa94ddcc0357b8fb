"""The built-in scripted model: it shows the whole system offline and says plainly that it is no real model."""

import asyncio
import re
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from wakeful.agent.providers.base import Finished, ModelRequest, Part, TextPart
from wakeful.model.message import AssistantMessage, Message, ToolCall, ToolMessage, Usage, UserMessage

MODEL_NAMES = ("wakeful",)

_NOTICE_MARK = "[IMPORTANT: "
_QUOTE_LIMIT = 2_000
_INTRODUCTION = (
    "I am the scripted demonstration model that is built into Wakeful, not a real model: I only follow a few fixed "
    "patterns. To talk to a real one, set WAKEFUL_MODEL=openai:<model> and OPENAI_API_KEY, and OPENAI_BASE_URL for "
    "an endpoint other than OpenAI's (a local one needs no key), then start Wakeful again."
)
_REMINDER = "(Scripted demonstration model, not a real one.)"


@dataclass(frozen=True, slots=True)
class _Rule:
    """Words that lead to a tool call: the pattern's named groups are the call's arguments, beside the fixed ones."""

    example: str
    pattern: re.Pattern[str]
    tool: str
    fixed: Mapping[str, Any] = field(default_factory=dict)

    def arguments(self, words: str) -> dict[str, Any] | None:
        match = self.pattern.fullmatch(words.strip())
        if match is None:
            return None
        return {**self.fixed, **{name: value for name, value in match.groupdict().items() if value is not None}}


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE | re.DOTALL)


_RULES = (
    _Rule("list files", _pattern(r"(?:please )?list (?:the |all )?files(?: in (?P<path>\S+?))?[.!]?"), "list_files"),
    _Rule("write FILE: text", _pattern(r"(?:please )?write (?P<path>[^\s:]+):\s*(?P<content>.+)"), "write_file"),
    _Rule("read FILE", _pattern(r"(?:please )?read (?:the file )?(?P<path>\S+?)[.!]?"), "read_file"),
)


class DemoModel:
    """A provider. It speaks word by word, `seconds_per_word` apart."""

    def __init__(self, *, seconds_per_word: float = 0.03) -> None:
        self._seconds_per_word = seconds_per_word

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Part, None]:
        answer = _answer(request)
        for word in _words(answer.text):
            # Also with no delay: a stream that never waits would hold up everything else.
            await asyncio.sleep(self._seconds_per_word)
            yield TextPart(word)
        yield Finished(answer, _usage(request, answer))

    async def close(self) -> None:
        pass


def _answer(request: ModelRequest) -> AssistantMessage:
    news = _since_last_answer(request.messages)
    results = [message.text for message in news if isinstance(message, ToolMessage)]
    said = [message.text for message in news if isinstance(message, UserMessage)]
    notices = [text for text in said if text.startswith(_NOTICE_MARK)]
    words = [text for text in said if not text.startswith(_NOTICE_MARK)]
    remarks = [*_about_results(results), *_about_notices(notices)]
    if words:
        return _reply(words[-1], remarks, request)
    return AssistantMessage("\n\n".join([*remarks, _REMINDER if remarks else _INTRODUCTION]))


def _since_last_answer(messages: Sequence[Message]) -> Sequence[Message]:
    for number in range(len(messages), 0, -1):
        if isinstance(messages[number - 1], AssistantMessage):
            return messages[number:]
    return messages


def _about_results(results: list[str]) -> Iterator[str]:
    for result in results:
        yield f"The tool answered:\n\n{_quoted(result)}"


def _about_notices(notices: list[str]) -> Iterator[str]:
    for notice in notices:
        yield f"News arrived while nobody was asking:\n\n{_quoted(notice)}"


def _reply(words: str, remarks: list[str], request: ModelRequest) -> AssistantMessage:
    for rule in _RULES:
        arguments = rule.arguments(words)
        if arguments is not None:
            return _follow(rule, arguments, remarks, request)
    examples = ", ".join(f"“{rule.example}”" for rule in _RULES)
    answer = f"You said:\n\n{_quoted(words)}"
    return AssistantMessage("\n\n".join([*remarks, answer, _INTRODUCTION, f"I understand: {examples}."]))


def _follow(rule: _Rule, arguments: dict[str, Any], remarks: list[str], request: ModelRequest) -> AssistantMessage:
    if rule.tool not in {spec.name for spec in request.tools}:
        sorry = f"I would call the tool {rule.tool} now, but it is not available here."
        return AssistantMessage("\n\n".join([*remarks, sorry, _REMINDER]))
    call = ToolCall(_next_call_id(request.messages), rule.tool, orjson.dumps(arguments).decode())
    return AssistantMessage("\n\n".join([*remarks, f"I am calling the tool {rule.tool}."]), calls=(call,))


def _next_call_id(messages: Sequence[Message]) -> str:
    # Counted, so that the same conversation always gives the same answer.
    answers = (message for message in messages if isinstance(message, AssistantMessage))
    return f"demo_{sum(len(answer.calls) for answer in answers) + 1}"


def _quoted(text: str) -> str:
    if len(text) > _QUOTE_LIMIT:
        text = f"{text[:_QUOTE_LIMIT]}…"
    return "\n".join(f"> {line}" for line in text.splitlines() or [""])


def _words(text: str) -> list[str]:
    return re.findall(r"\S*\s*", text)[:-1]


def _usage(request: ModelRequest, answer: AssistantMessage) -> Usage:
    """Words for tokens: near enough to show."""
    texts = [request.instructions, *(message.text for message in request.messages)]
    return Usage(input_tokens=sum(len(text.split()) for text in texts), output_tokens=len(_words(answer.text)))
