"""Where OpenAI-compatible endpoints differ in what they accept. It is learnt from what they refuse."""

from dataclasses import dataclass, replace
from typing import Self


@dataclass(frozen=True, slots=True)
class Dialect:
    # Asking for usage in a stream; some endpoints refuse the option.
    asks_for_usage: bool = True
    # Sending the model's own reasoning back between its tool calls; some endpoints insist, others refuse it.
    returns_reasoning: bool = False

    def after_refusal(self, status: int, words: str) -> Self:
        """Return the dialect to try next, the same one if it was not to blame. No step is ever taken back."""
        if status not in (400, 422):
            return self
        if "stream_options" in words:
            return replace(self, asks_for_usage=False)
        if "reasoning_content" in words:
            return replace(self, returns_reasoning=True)
        return self
