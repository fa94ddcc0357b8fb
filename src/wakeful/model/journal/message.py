"""What the model reads and says: the messages of a conversation, independent of any provider's format."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToolCall:
    id: str
    name: str
    # The raw JSON text, as the model wrote it; it may be broken, and then the model must be told.
    arguments: str


@dataclass(frozen=True, slots=True)
class SystemMessage:
    """Words of a client that stand above the user's."""

    text: str


@dataclass(frozen=True, slots=True)
class UserMessage:
    text: str
    # Addresses of images, or the images themselves as data: addresses.
    images: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AssistantMessage:
    text: str
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolMessage:
    call_id: str
    text: str


Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage


@dataclass(frozen=True, slots=True)
class Usage:
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
