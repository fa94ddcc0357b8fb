"""The messages that a model reads and writes, independent of any provider's format."""

from dataclasses import dataclass


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


@dataclass(frozen=True, slots=True)
class UserMessage:
    text: str
    # URLs of images, among them data: URLs.
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
