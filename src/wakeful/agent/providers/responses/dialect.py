"""What a model does not take, learnt from what it refuses."""

from dataclasses import dataclass, replace
from typing import Self


@dataclass(frozen=True, slots=True)
class ReasoningDialect:
    # Ask for reasoning in a form that can be sent back. Models that do not reason refuse it.
    includes_reasoning: bool = True
    # Ask for a summary of the reasoning. Some models, and accounts that are not verified, refuse it.
    asks_for_summary: bool = True

    def after_refusal(self, words: str) -> Self:
        """Return the dialect to try next, or the same one if it was not the cause. A change is never undone."""
        if "reasoning.summary" in words or "reasoning summaries" in words:
            return replace(self, asks_for_summary=False)
        if "encrypted content is not supported" in words or "reasoning.encrypted_content" in words:
            return replace(self, includes_reasoning=False)
        return self
