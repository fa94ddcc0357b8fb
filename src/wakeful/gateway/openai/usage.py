"""The tokens that a turn has used: the sum over its steps, in the form of each API."""

from collections.abc import Mapping

from wakeful.gateway.openai.fields.common_fields import NonNegative
from wakeful.wire.declared import Outgoing


class InputDetails(Outgoing):
    cached_tokens: NonNegative
    cache_write_tokens: NonNegative


class OutputDetails(Outgoing):
    reasoning_tokens: NonNegative


class ResponseUsage(Outgoing):
    input_tokens: NonNegative
    input_tokens_details: InputDetails
    output_tokens: NonNegative
    output_tokens_details: OutputDetails
    total_tokens: NonNegative


class PromptDetails(Outgoing):
    cached_tokens: NonNegative


class ChatUsage(Outgoing):
    prompt_tokens: NonNegative
    completion_tokens: NonNegative
    total_tokens: NonNegative
    prompt_tokens_details: PromptDetails
    completion_tokens_details: OutputDetails


class UsageSum:
    def __init__(self) -> None:
        self._input = 0
        self._output = 0
        self._cached = 0
        self._cache_written = 0
        self._reasoning = 0

    def add(self, usage: Mapping[str, int]) -> None:
        """Add the usage of one step."""
        self._input += usage["input_tokens"]
        self._output += usage["output_tokens"]
        self._cached += usage["cached_tokens"]
        # Older logs do not have it.
        self._cache_written += usage.get("cache_write_tokens", 0)
        self._reasoning += usage["reasoning_tokens"]

    def of_response(self) -> ResponseUsage:
        return ResponseUsage(
            input_tokens=self._input,
            input_tokens_details=InputDetails(cached_tokens=self._cached, cache_write_tokens=self._cache_written),
            output_tokens=self._output,
            output_tokens_details=OutputDetails(reasoning_tokens=self._reasoning),
            total_tokens=self._input + self._output,
        )

    def of_chat(self) -> ChatUsage:
        return ChatUsage(
            prompt_tokens=self._input,
            completion_tokens=self._output,
            total_tokens=self._input + self._output,
            prompt_tokens_details=PromptDetails(cached_tokens=self._cached),
            completion_tokens_details=OutputDetails(reasoning_tokens=self._reasoning),
        )
