"""What a scripted endpoint does with one request, whichever API it speaks."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson


@dataclass(frozen=True, slots=True)
class Script:
    # The answer: this text, as one token or word by word where there is a rate, or else this many made-up tokens.
    text: str | None = None
    tokens: int = 3
    reasoning_tokens: int = 0
    # Reasoning that nobody may read: it comes encrypted, without words.
    hidden_reasoning: bool = False
    # Tokens a second; 0 sends them as fast as the client reads.
    rate: float = 0.0
    # Tool calls, each {"name": …, "arguments": {…}}; sent unless the last message is already a tool's result.
    calls: Sequence[Mapping[str, Any]] = ()
    # As chat completions name it; any other word is sent as it is.
    finish_reason: str = "stop"
    # After this many tokens: cut the connection, report an error inside the stream, or send nothing more.
    break_after: int | None = None
    error_after: int | None = None
    hang_after: int | None = None
    # Send nothing at all, not even the head of the response.
    hang: bool = False
    # Answer with this HTTP status; `failures` says how many times before it succeeds, None for always.
    status: int = 200
    failures: int | None = None
    error: Mapping[str, Any] = field(default_factory=lambda: {"message": "scripted error"})
    headers: Mapping[str, str] = field(default_factory=dict)
    # The tokens that the model can read: a longer request is refused, and `usage` counts those of the request.
    window: int | None = None
    # Exactly these bytes as the body of the response, for streams that are not compatible at all. Any
    # `break_after` cuts the connection after them.
    raw: bytes | None = None
    content_type: str = "text/event-stream"

    @property
    def words(self) -> list[str]:
        """The pieces in which the text is sent."""
        text = self.text or ""
        return re.findall(r"\S+\s*", text) if self.rate else [text]

    @property
    def size(self) -> int:
        """How many tokens the answer has."""
        return self.tokens + self.reasoning_tokens

    def read(self, request: Mapping[str, Any]) -> int:
        """How many tokens `usage` says the request has."""
        return 7 if self.window is None else tokens_in(request)


def tokens_in(request: Mapping[str, Any]) -> int:
    """Four characters a token, as in English."""
    said = request.get("messages", request.get("input", []))
    return len(orjson.dumps([said, request.get("tools", [])])) // 4
