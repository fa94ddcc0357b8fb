"""Where OpenAI-compatible endpoints differ in what they accept. It is learnt from what they refuse."""

import re
from dataclasses import dataclass, replace
from typing import Self

# What endpoints say of a model, or of a server, that calls no tools. It must not be what they say of a bad tool: that
# is the client's to hear.
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


def refuses_tools(status: int, words: str) -> bool:
    return 400 <= status < 600 and _NO_TOOLS.search(words) is not None
