"""The events of a response's stream."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias, get_args

from msgspec import field

from wakeful.gateway.openai.asking.common_fields import Count
from wakeful.gateway.openai.items.objects import OutputItem, OutputPart
from wakeful.gateway.openai.responses.response import Response
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
    sequence_number: Count
    response: Response


class ItemEvent(Outgoing):
    type: Literal["response.output_item.added", "response.output_item.done"]
    sequence_number: Count
    output_index: Count
    item: OutputItem


class PartEvent(Outgoing):
    type: Literal["response.content_part.added", "response.content_part.done"]
    sequence_number: Count
    item_id: str
    output_index: Count
    content_index: Count
    part: OutputPart


class TextDelta(Outgoing):
    type: Literal["response.output_text.delta"]
    sequence_number: Count
    item_id: str
    output_index: Count
    content_index: Count
    delta: str
    logprobs: list[Any] = field(default_factory=list)


class TextDone(Outgoing):
    type: Literal["response.output_text.done"]
    sequence_number: Count
    item_id: str
    output_index: Count
    content_index: Count
    text: str
    logprobs: list[Any] = field(default_factory=list)


class ReasoningDelta(Outgoing):
    type: Literal["response.reasoning_text.delta"]
    sequence_number: Count
    item_id: str
    output_index: Count
    content_index: Count
    delta: str


class ReasoningDone(Outgoing):
    type: Literal["response.reasoning_text.done"]
    sequence_number: Count
    item_id: str
    output_index: Count
    content_index: Count
    text: str


class ArgumentsDelta(Outgoing):
    type: Literal["response.function_call_arguments.delta", "response.mcp_call_arguments.delta"]
    sequence_number: Count
    item_id: str
    output_index: Count
    delta: str


class FunctionArgumentsDone(Outgoing):
    type: Literal["response.function_call_arguments.done"]
    sequence_number: Count
    item_id: str
    output_index: Count
    name: str
    arguments: str


class ServerArgumentsDone(Outgoing):
    type: Literal["response.mcp_call_arguments.done"]
    sequence_number: Count
    item_id: str
    output_index: Count
    arguments: str


class ServerCallStage(Outgoing):
    type: Literal["response.mcp_call.in_progress", "response.mcp_call.completed", "response.mcp_call.failed"]
    sequence_number: Count
    item_id: str
    output_index: Count


class ErrorEvent(Outgoing):
    type: Literal["error"]
    sequence_number: Count
    code: str
    message: str
    param: None = None


ResponseEvent: TypeAlias = Annotated[
    StageEvent
    | ItemEvent
    | PartEvent
    | TextDelta
    | TextDone
    | ReasoningDelta
    | ReasoningDone
    | ArgumentsDelta
    | FunctionArgumentsDone
    | ServerArgumentsDone
    | ServerCallStage
    | ErrorEvent,
    words(
        "`event` is the type. Numbers begin with 0, have no gaps and never change. The last event is one of completed, "
        "failed, cancelled and incomplete. `response.snapshot` comes only where an Idempotency-Key joins a response "
        "that runs, and has the number of the event before it."
    ),
]
# The class of each event, by its type.
EVENTS: Mapping[str, type[Outgoing]] = {
    name: kind for kind in shape_of(ResponseEvent).args for tag in tags_in(kind) for name in get_args(tag.type)
}
