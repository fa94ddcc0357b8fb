"""The order of an answer's texts, calls and native blocks. Signed thinking is refused anywhere but in its place."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from wakeful.model.journal.message import AssistantMessage, NativeParts, ToolCall

# The keys of a layout's parts: how many characters of the answer's text come next, with whatever else the provider says
# about them; its next call; a block that only the provider understands.
_TEXT, _CALL, _BLOCK = "text", "call", "block"


@dataclass(frozen=True, slots=True)
class TextPiece:
    text: str
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NativeBlock:
    block: Mapping[str, Any]


class Layout:
    """Notes the order while an answer arrives."""

    def __init__(self) -> None:
        self._parts: list[dict[str, Any]] = []
        self._is_plain = True

    def add_text(self, length: int, **extra: Any) -> None:
        if length:
            self._is_plain = self._is_plain and not extra
            self._parts.append({_TEXT: length, **extra})

    def add_call(self) -> None:
        self._parts.append({_CALL: True})

    def add_block(self, block: Mapping[str, Any]) -> None:
        self._is_plain = False
        self._parts.append({_BLOCK: block})

    def native(self, provider: str, wire: str) -> NativeParts | None:
        """Return None for an answer of texts and calls alone: it needs no layout."""
        return None if self._is_plain else NativeParts(provider, wire, tuple(self._parts))


def laid_out(message: AssistantMessage, provider: str, wire: str) -> Iterator[TextPiece | ToolCall | NativeBlock]:
    """Yield the pieces of an answer as this provider wrote it, or else its text and then its calls."""
    parts = message.native_of(provider, wire)
    if not parts:
        yield TextPiece(message.text)
        yield from message.calls
        return
    start, calls = 0, iter(message.calls)
    for part in parts:
        if _BLOCK in part:
            yield NativeBlock(part[_BLOCK])
        elif _CALL in part:
            yield next(calls)
        else:
            end = start + part[_TEXT]
            yield TextPiece(message.text[start:end], {name: value for name, value in part.items() if name != _TEXT})
            start = end
