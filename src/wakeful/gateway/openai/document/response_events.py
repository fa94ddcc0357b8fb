"""The events of a response's stream."""

from collections.abc import Mapping
from typing import Any

from wakeful.gateway.openai.item_objects import OutputItem, OutputPart
from wakeful.gateway.openai.response_object import Response
from wakeful.wire.openapi import NULL, TEXT, Json, any_of, list_of, only, record, told, whole

_STAGES = ("created", "queued", "in_progress", "completed", "failed", "cancelled", "incomplete", "snapshot")
_ITEM = {"output_index": whole(0), "item": OutputItem}
_PLACE = {"item_id": TEXT, "output_index": whole(0), "content_index": whole(0)}
_PART = {**_PLACE, "part": OutputPart}
_NO_LOGPROBS = {"logprobs": list_of({})}
_CALL = {"item_id": TEXT, "output_index": whole(0)}

# By type, what each holds beside its type and its number.
_EVENTS: Mapping[str, Mapping[str, Any]] = {
    **{f"response.{stage}": {"response": Response} for stage in _STAGES},
    "response.output_item.added": _ITEM,
    "response.output_item.done": _ITEM,
    "response.content_part.added": _PART,
    "response.content_part.done": _PART,
    "response.output_text.delta": {**_PLACE, "delta": TEXT, **_NO_LOGPROBS},
    "response.output_text.done": {**_PLACE, "text": TEXT, **_NO_LOGPROBS},
    "response.reasoning_text.delta": {**_PLACE, "delta": TEXT},
    "response.reasoning_text.done": {**_PLACE, "text": TEXT},
    "response.function_call_arguments.delta": {**_CALL, "delta": TEXT},
    "response.function_call_arguments.done": {**_CALL, "name": TEXT, "arguments": TEXT},
    **{f"response.mcp_call.{stage}": _CALL for stage in ("in_progress", "completed", "failed")},
    "response.mcp_call_arguments.delta": {**_CALL, "delta": TEXT},
    "response.mcp_call_arguments.done": {**_CALL, "arguments": TEXT},
    "error": {"code": TEXT, "message": TEXT, "param": NULL},
}


def _event(kind: str, fields: Mapping[str, Any]) -> Json:
    return record({"type": only(kind), "sequence_number": whole(0), **fields})


SCHEMAS: dict[str, Json] = {
    "ResponseEvent": told(
        "`event` is the type. Numbers begin with 0, have no gaps and never change. The last event is one of completed, "
        "failed, cancelled and incomplete. `response.snapshot` comes only where an Idempotency-Key joins a response "
        "that runs, and has the number of the event before it.",
        any_of(*(_event(kind, fields) for kind, fields in _EVENTS.items())),
    ),
}
