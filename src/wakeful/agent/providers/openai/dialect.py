"""The ways in which OpenAI-compatible endpoints differ, learnt from what an endpoint refuses."""

import re
from dataclasses import dataclass, replace
from typing import Self

# What endpoints reply if a model or a server supports no tools. It must not match the reply to a malformed tool: that
# error goes to the client.
_NO_TOOLS = re.compile(
    r"(?:does|do)(?: not|n't) support (?:tool|function)"
    r"|support tool use"
    r"|(?:tool|function)[ _-]?(?:call(?:s|ing)?|use|choice)?`? (?:is|are) not supported"
    r"|tool choice requires"
    r"|tools param requires",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Dialect:
    # Send `stream_options` to get usage; some endpoints refuse it.
    asks_for_usage: bool = True
    # Send the model's reasoning back between its tool calls; some endpoints require it, others refuse it.
    returns_reasoning: bool = False

    def after_refusal(self, status: int, words: str) -> Self:
        """Return the dialect to try next, or the same one if it was not the cause. A change is never undone."""
        if status not in (400, 422):
            return self
        if "stream_options" in words:
            return replace(self, asks_for_usage=False)
        if "reasoning_content" in words:
            return replace(self, returns_reasoning=True)
        return self


def refuses_tools(status: int, words: str) -> bool:
    return 400 <= status < 600 and _NO_TOOLS.search(words) is not None
