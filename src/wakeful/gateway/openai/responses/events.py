"""The events of a response's stream."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias, get_args

from msgspec import field

from wakeful.gateway.openai.fields.common_fields import NonNegative
from wakeful.gateway.openai.items.objects import OutputItem, OutputPart
from wakeful.gateway.openai.responses.response import ResponseObject
from wakeful.wire.declared import Outgoing, shape_of, tags_in, words


class StageEvent(Outgoing):
    type: Literal[
        "response.created",
        "response.queued",
        "response.in_progress",
        "response.completed",
        "response.failed",
        "response.cancelled",
        "response.incomplete",
        "response.snapshot",
    ]
    sequence_number: NonNegative
    response: ResponseObject


class ItemEvent(Outgoing):
    type: Literal["response.output_item.added", "response.output_item.done"]
    sequence_number: NonNegative
    output_index: NonNegative
    item: OutputItem


class PartEvent(Outgoing):
    type: Literal["response.content_part.added", "response.content_part.done"]
    sequence_number: NonNegative
    item_id: str
    output_index: NonNegative
    content_index: NonNegative
    part: OutputPart


class TextDeltaEvent(Outgoing):
    type: Literal["response.output_text.delta"]
    sequence_number: NonNegative
    item_id: str
    output_index: NonNegative
    content_index: NonNegative
    delta: str
    logprobs: list[Any] = field(default_factory=list)


class TextDoneEvent(Outgoing):
    type: Literal["response.output_text.done"]
    sequence_number: NonNegative
    item_id: str
    output_index: NonNegative
    content_index: NonNegative
    text: str
    logprobs: list[Any] = field(default_factory=list)


class ReasoningDeltaEvent(Outgoing):
    type: Literal["response.reasoning_text.delta"]
    sequence_number: NonNegative
    item_id: str
    output_index: NonNegative
    content_index: NonNegative
    delta: str


class ReasoningDoneEvent(Outgoing):
    type: Literal["response.reasoning_text.done"]
    sequence_number: NonNegative
    item_id: str
    output_index: NonNegative
    content_index: NonNegative
    text: str


class ArgumentsDeltaEvent(Outgoing):
    type: Literal["response.function_call_arguments.delta", "response.mcp_call_arguments.delta"]
    sequence_number: NonNegative
    item_id: str
    output_index: NonNegative
    delta: str


class FunctionArgumentsDoneEvent(Outgoing):
    type: Literal["response.function_call_arguments.done"]
    sequence_number: NonNegative
    item_id: str
    output_index: NonNegative
    name: str
    arguments: str


class ServerArgumentsDoneEvent(Outgoing):
    type: Literal["response.mcp_call_arguments.done"]
    sequence_number: NonNegative
    item_id: str
    output_index: NonNegative
    arguments: str


class ServerCallEvent(Outgoing):
    type: Literal["response.mcp_call.in_progress", "response.mcp_call.completed", "response.mcp_call.failed"]
    sequence_number: NonNegative
    item_id: str
    output_index: NonNegative


class ErrorEvent(Outgoing):
    type: Literal["error"]
    sequence_number: NonNegative
    code: str
    message: str
    param: None = None


ResponseEvent: TypeAlias = Annotated[
    StageEvent
    | ItemEvent
    | PartEvent
    | TextDeltaEvent
    | TextDoneEvent
    | ReasoningDeltaEvent
    | ReasoningDoneEvent
    | ArgumentsDeltaEvent
    | FunctionArgumentsDoneEvent
    | ServerArgumentsDoneEvent
    | ServerCallEvent
    | ErrorEvent,
    words(
        "`event` is the type. Numbers begin with 0, have no gaps and never change. The last event is one of completed, "
        "failed, cancelled and incomplete. `response.snapshot` comes only where an Idempotency-Key joins a response "
        "that runs, and has the number of the event before it."
    ),
]
# By the type of an event: its class.
EVENTS: Mapping[str, type[Outgoing]] = {
    name: kind for kind in shape_of(ResponseEvent).args for tag in tags_in(kind) for name in get_args(tag.type)
}
