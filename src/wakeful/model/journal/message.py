"""The messages that a model reads and writes, independent of any provider's format."""

from dataclasses import dataclass, field, fields


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
class AssistantMessage:
    text: str
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()
    origin: str = field(default="", compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class ToolMessage:
    call_id: str
    text: str
    origin: str = field(default="", compare=False, repr=False, kw_only=True)


Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage


@dataclass(frozen=True, slots=True)
class Usage:
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0

    def plus(self, other: "Usage") -> "Usage":
        return Usage(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(self)))
