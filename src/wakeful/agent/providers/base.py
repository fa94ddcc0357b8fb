"""What the loop expects of a model provider: one streamed answer, which ends with `Finished`."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from wakeful.model.journal.message import AssistantMessage, Message, Usage
from wakeful.tools.base import ToolSpec


@dataclass(frozen=True, slots=True)
class ModelRequest:
    # The model's name at its provider.
    model: str
    instructions: str
    messages: Sequence[Message]
    tools: Sequence[ToolSpec]
    # Fields of a chat-completions request, as the client sent them.
    options: Mapping[str, Any] = field(default_factory=dict)
    # The session that asks; empty for a request that belongs to none. Its requests share a cache.
    session: str = ""
    # The most tokens that the model can answer with, None if that is unknown.
    max_output: int | None = None


@dataclass(frozen=True, slots=True)
class AnswerText:
    text: str


@dataclass(frozen=True, slots=True)
class AnswerReasoning:
    text: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The whole answer: exactly the parts streamed before it."""

    message: AssistantMessage
    usage: Usage
    # The model reached its output limit, and the text stops in the middle.
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class SpoiltAnswer:
    """What the endpoint has counted for an answer that fails: a ModelError follows."""

    usage: Usage


AnswerPart = AnswerText | AnswerReasoning | Finished | SpoiltAnswer


def paid_for(usage: Usage) -> list[AnswerPart]:
    """Return the parts before the error of an answer that fails."""
    return [SpoiltAnswer(usage)] if usage != Usage() else []


class Provider(Protocol):
    def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        """Yield the parts of one answer, `Finished` last. Raises ModelError, after `SpoiltAnswer` if the endpoint has
        counted tokens. Closing the generator stops the model.
        """
        ...

    async def close(self) -> None: ...


# From `provider:model` to the provider and the model's name there. Raises ConfigError.
FindModel = Callable[[str], tuple[Provider, str]]
