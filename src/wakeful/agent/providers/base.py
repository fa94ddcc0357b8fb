"""What the loop asks of a model: one streamed answer. A stream ends with `Finished`, or it was not an answer."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from wakeful.model.message import AssistantMessage, Message, Usage
from wakeful.tools.base import ToolSpec


@dataclass(frozen=True, slots=True)
class ModelRequest:
    # The model's name at its provider.
    model: str
    instructions: str
    messages: Sequence[Message]
    tools: Sequence[ToolSpec]
    # Fields of a chat-completions request, as the client asked for them.
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AnswerText:
    text: str


@dataclass(frozen=True, slots=True)
class AnswerReasoning:
    text: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The whole answer, exactly what its parts add up to."""

    message: AssistantMessage
    usage: Usage
    # The model reached its output limit: the text stops in the middle.
    is_cut: bool = False


AnswerPart = AnswerText | AnswerReasoning | Finished


class Provider(Protocol):
    def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        """Yield the parts of one answer, last a `Finished`. Raises ModelError; closing the iterator stops the model."""
        ...

    async def close(self) -> None: ...
