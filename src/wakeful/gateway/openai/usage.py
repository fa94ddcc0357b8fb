"""What a turn has cost: the sum over its steps, in the words of each API."""

from collections.abc import Mapping
from typing import Any


class UsageSum:
    def __init__(self) -> None:
        self._input = 0
        self._output = 0
        self._cached = 0
        self._reasoning = 0

    def add(self, usage: Mapping[str, int]) -> None:
        """Add what one step has cost."""
        self._input += usage["input_tokens"]
        self._output += usage["output_tokens"]
        self._cached += usage["cached_tokens"]
        self._reasoning += usage["reasoning_tokens"]

    def of_response(self) -> dict[str, Any]:
        return {
            "input_tokens": self._input,
            # No endpoint tells us what it has written to its cache.
            "input_tokens_details": {"cached_tokens": self._cached, "cache_write_tokens": 0},
            "output_tokens": self._output,
            "output_tokens_details": {"reasoning_tokens": self._reasoning},
            "total_tokens": self._input + self._output,
        }

    def of_chat(self) -> dict[str, Any]:
        return {
            "prompt_tokens": self._input,
            "completion_tokens": self._output,
            "total_tokens": self._input + self._output,
            "prompt_tokens_details": {"cached_tokens": self._cached},
            "completion_tokens_details": {"reasoning_tokens": self._reasoning},
        }
