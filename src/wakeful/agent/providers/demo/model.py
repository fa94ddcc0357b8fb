"""The built-in scripted model: it demonstrates the whole system offline and says that it is not a real model."""

import asyncio
import re
from collections.abc import AsyncGenerator, Sequence
from typing import Any

import orjson

from wakeful.agent.prompt import SUMMARY_INSTRUCTIONS, TITLE_INSTRUCTIONS
from wakeful.agent.providers.base import AnswerPart, AnswerText, Finished, ModelRequest
from wakeful.agent.providers.demo.remarks import NOTICE_MARK, REMINDER, about_notices, about_results, block_quote
from wakeful.agent.providers.demo.rules import RULES, DemoRule
from wakeful.model.journal.message import AssistantMessage, Message, ToolCall, ToolMessage, Usage, UserMessage

MODEL_NAMES = ("wakeful",)

_COUNTING = re.compile(r"(?:please )?count to (\d{1,9})[.!]?", re.IGNORECASE)
_COUNT_LIMIT = 10_000
_INTRODUCTION = (
    "I am the scripted demonstration model that is built into Wakeful, not a real model: I only follow a few fixed "
    "patterns. To talk to a real one, set WAKEFUL_MODEL=anthropic:<model> and ANTHROPIC_API_KEY, or openai:<model> and "
    "OPENAI_API_KEY, with OPENAI_BASE_URL for a compatible endpoint, or ollama:<model> for one on this machine, then "
    "start Wakeful again."
)
_TITLE_WORDS = 6


class DemoModel:
    """A Provider that streams its answers word by word, `seconds_per_word` apart."""

    def __init__(self, *, seconds_per_word: float = 0.03) -> None:
        self._seconds_per_word = seconds_per_word

    async def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        answer = _answer(request)
        for word in _words(answer.text):
            # Even without a delay: a stream that never waits would block the event loop.
            await asyncio.sleep(self._seconds_per_word)
            yield AnswerText(word)
        yield Finished(answer, _usage(request, answer))

    async def close(self) -> None:
        pass


def _answer(request: ModelRequest) -> AssistantMessage:
    if request.instructions == TITLE_INSTRUCTIONS:
        return AssistantMessage(_title(request.messages[-1].text))
    if request.instructions == SUMMARY_INSTRUCTIONS:
        return AssistantMessage(_summary(request.messages[-1].text))
    news = _since_last_answer(request.messages)
    results = [message.text for message in news if isinstance(message, ToolMessage)]
    said = [message.text for message in news if isinstance(message, UserMessage)]
    notices = [text for text in said if text.startswith(NOTICE_MARK)]
    words = [text for text in said if not text.startswith(NOTICE_MARK)]
    remarks = [*about_results(results), *about_notices(notices)]
    if words:
        return _reply(words[-1], remarks, request)
    return AssistantMessage("\n\n".join([*remarks, REMINDER if remarks else _INTRODUCTION]))


def _title(shown: str) -> str:
    """Return the user's first words, capitalised."""
    words = shown.removeprefix("User:").split("\n\nAssistant:")[0].split()[:_TITLE_WORDS]
    return " ".join([word.strip("*_`#>\"'") for word in words]).strip(" .,:;!?").capitalize() or "A conversation"


def _summary(shown: str) -> str:
    """Return the first and the last words of the user."""
    said = [line.removeprefix("User: ") for line in shown.splitlines() if line.startswith("User: ")] or ["(nothing)"]
    return f"Goal: {said[0]}\n\nState: the user has written {len(said)} messages, the last of them: {said[-1]}"


def _since_last_answer(messages: Sequence[Message]) -> Sequence[Message]:
    for number in range(len(messages), 0, -1):
        if isinstance(messages[number - 1], AssistantMessage):
            return messages[number:]
    return messages


def _reply(words: str, remarks: list[str], request: ModelRequest) -> AssistantMessage:
    if counting := _COUNTING.fullmatch(words.strip()):
        return AssistantMessage("\n\n".join([*remarks, _count_to(int(counting[1]))]))
    for rule in RULES:
        arguments = rule.arguments(words)
        if arguments is not None:
            return _follow(rule, arguments, remarks, request)
    examples = ", ".join(f"“{example}”" for example in (*(rule.example for rule in RULES), "count to 20"))
    answer = f"You said:\n\n{block_quote(words)}"
    return AssistantMessage("\n\n".join([*remarks, answer, _INTRODUCTION, f"I understand: {examples}."]))


def _count_to(last: int) -> str:
    """Return a long text, to watch while it streams."""
    return " ".join(str(number) for number in range(1, min(last, _COUNT_LIMIT) + 1))


def _follow(rule: DemoRule, arguments: dict[str, Any], remarks: list[str], request: ModelRequest) -> AssistantMessage:
    if rule.tool not in {spec.name for spec in request.tools}:
        sorry = f"I would call the tool {rule.tool} now, but it is not available here."
        return AssistantMessage("\n\n".join([*remarks, sorry, REMINDER]))
    call = ToolCall(_next_call_id(request.messages), rule.tool, orjson.dumps(arguments).decode())
    return AssistantMessage("\n\n".join([*remarks, f"I am calling the tool {rule.tool}."]), calls=(call,))


def _next_call_id(messages: Sequence[Message]) -> str:
    # Counted, so that the same conversation always gets the same answer.
    answers = (message for message in messages if isinstance(message, AssistantMessage))
    return f"demo_{sum(len(answer.calls) for answer in answers) + 1}"


def _words(text: str) -> list[str]:
    return re.findall(r"\S*\s*", text)[:-1]


def _usage(request: ModelRequest, answer: AssistantMessage) -> Usage:
    """Count words as tokens, which is close enough for a demonstration."""
    texts = [request.instructions, *(message.text for message in request.messages)]
    return Usage(input_tokens=sum(len(text.split()) for text in texts), output_tokens=len(_words(answer.text)))
