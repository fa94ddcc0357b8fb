"""Builds one answer from the chunks of its stream."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from wakeful.agent.providers.base import AnswerPart, AnswerReasoning, AnswerText, Finished
from wakeful.agent.providers.chunk_stream import count_in
from wakeful.agent.providers.endpoint_errors import EndpointErrors
from wakeful.agent.providers.endpoint_settings import Wire
from wakeful.agent.providers.mended_text import MendedText
from wakeful.agent.providers.openai.call_builder import CallBuilder
from wakeful.agent.providers.openai.template_text import TemplateText, split_thoughts
from wakeful.model.journal.message import AssistantMessage, NativeParts, Usage
from wakeful.tools.base import ToolSpec


class AnswerBuilder:
    def __init__(
        self, errors: EndpointErrors, provider: str, *, taken_ids: Collection[str], tools: Sequence[ToolSpec] = ()
    ) -> None:
        self._errors = errors
        self._provider = provider
        self._taken_ids = taken_ids
        self._template = TemplateText(tools)
        self._text = MendedText()
        self._reasoning = MendedText()
        self._calls = CallBuilder()
        # What the endpoint has counted so far.
        self.usage = Usage()
        self._finish_reason = ""

    @property
    def is_finished(self) -> bool:
        """Whether the model has said that it is done: only its usage may follow."""
        return bool(self._finish_reason)

    @property
    def is_empty(self) -> bool:
        return not (self._text.whole or self._reasoning.whole or self._calls)

    def add(self, chunk: Mapping[str, Any]) -> list[AnswerPart]:
        """Return the parts that the chunk adds. Raises ModelError if it reports an error."""
        complaint = chunk.get("error") or (chunk if chunk.get("object") == "error" else None)
        if complaint:
            raise self._errors.reported(complaint)
        # Endpoints that send usage more than once send the sum so far: the last one counts.
        usage = chunk.get("usage")
        if isinstance(usage, dict):
            self.usage = _usage(usage)
        choices = chunk.get("choices")
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            return []
        return self._add_choice(choices[0])

    def finish(self) -> list[AnswerPart]:
        """Return the remaining parts, `Finished` last. Raises ModelError if the answer is unusable."""
        parts = self._add_rest()
        is_cut = self._finish_reason == "length"
        if self._finish_reason == "content_filter":
            raise self._errors.filtered()
        if self._finish_reason == "error" or not self._calls.are_named:
            raise self._errors.broken()
        # A cut-off text is still an answer. A cut-off call must not run, and reasoning alone is of no use to the user.
        if is_cut and not (self._calls.are_complete if self._calls else self._text.whole):
            raise self._errors.cut()
        calls = self._calls.finish(self._taken_ids)
        extras = self._calls.extras()
        native = NativeParts(self._provider, Wire.OPENAI, extras) if extras else None
        reasoning, text = self._reasoning.whole, self._text.whole
        if not reasoning:
            reasoning, text = split_thoughts(text)
        return [*parts, Finished(AssistantMessage(text, reasoning, calls, native=native), self.usage, is_cut)]

    def _add_rest(self) -> list[AnswerPart]:
        """Add what the template has held back: the last words, or the calls that the model has written as text."""
        rest, written = self._template.finish(with_calls=not self._calls)
        thought = self._reasoning.add(rest.thought) + self._reasoning.finish()
        words = self._text.add(rest.words) + self._text.finish()
        if not written and not self._calls and (written := self._template.as_call(self._text.whole)):
            # It was shown as words already; the finished answer has the call alone.
            self._text = MendedText()
        for index, call in enumerate(written):
            self._calls.add({"index": index, "function": {"name": call.name, "arguments": call.arguments}})
        return _parts(thought, words)

    def _add_choice(self, choice: Mapping[str, Any]) -> list[AnswerPart]:
        # An endpoint that does not stream sends the whole answer as `message`.
        delta = choice.get("delta") or choice.get("message")
        self._finish_reason = choice.get("finish_reason") or self._finish_reason
        if not isinstance(delta, dict):
            return []
        calls = delta.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict):
                self._calls.add(call)
        thought, said = _content(delta.get("content") or delta.get("refusal"))
        reasoning = delta.get("reasoning_content") or delta.get("reasoning")
        if isinstance(reasoning, str):
            thought += reasoning
        if said:
            found = self._template.add(said)
            thought, said = thought + found.thought, found.words
        return _parts(self._reasoning.add(thought) if thought else "", self._text.add(said) if said else "")


def _parts(reasoning: str, text: str) -> list[AnswerPart]:
    parts: list[AnswerPart] = []
    if reasoning:
        parts.append(AnswerReasoning(reasoning))
    if text:
        parts.append(AnswerText(text))
    return parts


def _content(content: object) -> tuple[str, str]:
    """Return the reasoning and the text of a `content`, which is a text or a list of blocks of both kinds."""
    if isinstance(content, str):
        return "", content
    if not isinstance(content, list):
        return "", ""
    blocks = [block for block in content if isinstance(block, dict)]
    thought = "".join(_content(block.get("thinking"))[1] for block in blocks if block.get("type") == "thinking")
    text = "".join(_content(block.get("text"))[1] for block in blocks if block.get("type") == "text")
    return thought, text


def _usage(usage: Mapping[str, Any]) -> Usage:
    return Usage(
        input_tokens=count_in(usage, "prompt_tokens"),
        output_tokens=count_in(usage, "completion_tokens"),
        cached_tokens=count_in(usage.get("prompt_tokens_details"), "cached_tokens"),
        reasoning_tokens=count_in(usage.get("completion_tokens_details"), "reasoning_tokens"),
        cache_write_tokens=count_in(usage.get("prompt_tokens_details"), "cache_write_tokens"),
    )
