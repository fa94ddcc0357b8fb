"""The chat completion object, and the chunks of its stream."""

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType, field

from wakeful.gateway.openai.fields.common_fields import NonNegative
from wakeful.gateway.openai.usage import ChatUsage
from wakeful.wire.declared import Outgoing, words
from wakeful.wire.error_types import ApiProblem

FinishReason: TypeAlias = Literal["stop", "length", "tool_calls"]
# There is always exactly one choice.
_Index: TypeAlias = Annotated[int, Meta(ge=0, le=0)]


class AnswerFunction(Outgoing):
    name: str
    arguments: str


class AnswerCall(Outgoing):
    id: str
    type: Literal["function"] = "function"
    function: AnswerFunction


class IndexedCall(AnswerCall):
    index: NonNegative


class AnswerMessage(Outgoing):
    role: Literal["assistant"] = "assistant"
    content: str | None
    refusal: None = None
    annotations: list[Any] = field(default_factory=list)
    tool_calls: list[AnswerCall] | UnsetType = UNSET


class AnswerChoice(Outgoing):
    index: _Index = 0
    message: AnswerMessage
    logprobs: None = None
    finish_reason: FinishReason


class ChatCompletion(Outgoing):
    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: NonNegative
    model: str
    choices: list[AnswerChoice]
    usage: ChatUsage
    service_tier: Literal["default"] = "default"
    system_fingerprint: None = None


class Delta(Outgoing):
    role: Literal["assistant"] | UnsetType = UNSET
    content: str | UnsetType = UNSET
    refusal: UnsetType | None = UNSET
    tool_calls: list[IndexedCall] | UnsetType = UNSET


class ChunkChoice(Outgoing):
    index: _Index = 0
    delta: Delta
    logprobs: None = None
    finish_reason: FinishReason | None = None


class ChatChunk(Outgoing):
    id: str
    object: Literal["chat.completion.chunk"] = "chat.completion.chunk"
    created: NonNegative
    model: str
    choices: list[ChunkChoice]
    service_tier: Literal["default"] = "default"
    system_fingerprint: None = None
    usage: ChatUsage | UnsetType | None = UNSET


ChatEvent: TypeAlias = Annotated[ChatChunk | ApiProblem, words("A chunk, or the error that ends the stream.")]
