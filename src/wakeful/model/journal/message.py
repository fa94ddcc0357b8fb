"""The messages that a model reads and writes, independent of any provider's format."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from wakeful.model.files.attachment import Attachment


@dataclass(frozen=True, slots=True)
class ToolCall:
    id: str
    name: str
    # The raw JSON text as the model wrote it. It may be invalid; then the result tells the model so.
    arguments: str


@dataclass(frozen=True, slots=True)
class SystemMessage:
    """A client's instructions, which take precedence over the user's messages."""

    text: str
    # The id of the journal entry that the message was made of; empty for a message that is not recorded. The same in
    # all other messages.
    origin: str = field(default="", compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class UserMessage:
    text: str
    # URLs of images, among them data: URLs.
    images: tuple[str, ...] = ()
    files: tuple[Attachment, ...] = field(default=(), kw_only=True)
    origin: str = field(default="", compare=False, repr=False, kw_only=True)
    # The server wrote it about background work: these are not the user's words.
    is_notice: bool = field(default=False, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class SummaryMessage(UserMessage):
    """Stands for the messages before it. Models read it as a message of the user."""

    # The parts of it that the next summary goes on from: the summary itself, and the user's newest words among what it
    # stands for.
    words: str = field(default="", compare=False, kw_only=True)
    said: tuple[str, ...] = field(default=(), compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class NativeParts:
    """What a provider has to get back unchanged with an answer, such as signed thinking. Only the provider that wrote
    it reads it: to every other one it means nothing.
    """

    # The provider's name and the API that it was asked through: a name may move to another API.
    provider: str
    wire: str
    # In the wire's own format. Texts and calls of the answer are referred to, not repeated.
    parts: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class AssistantMessage:
    text: str
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()
    native: NativeParts | None = None
    origin: str = field(default="", compare=False, repr=False, kw_only=True)

    def native_of(self, provider: str, wire: str) -> tuple[Mapping[str, Any], ...]:
        """Return the native parts if this provider wrote them through this wire."""
        native = self.native
        return native.parts if native is not None and (native.provider, native.wire) == (provider, wire) else ()


@dataclass(frozen=True, slots=True)
class ToolMessage:
    call_id: str
    text: str
    is_error: bool = False
    # URLs of pictures that belong to the result: data: URLs, or the ids of attachments, see model/files/attachment.py.
    images: tuple[str, ...] = field(default=(), kw_only=True)
    origin: str = field(default="", compare=False, repr=False, kw_only=True)


Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage


@dataclass(frozen=True, slots=True)
class Usage:
    # Everything that the model read, also what came from the cache or went into it.
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    cache_write_tokens: int = 0

    @property
    def paid_tokens(self) -> tuple[int, int, int]:
        """The input without what came from the cache, that from the cache, and the output: each has a price of its
        own.
        """
        cached = min(self.cached_tokens, self.input_tokens)
        return self.input_tokens - cached, cached, self.output_tokens

    def plus(self, other: "Usage") -> "Usage":
        return Usage(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(self)))
