"""The response object. It always has every key, with the value that the client sent or the default."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from msgspec import Meta

from wakeful.gateway.openai.fields.common_fields import (
    FailureDetails,
    IncompleteDetails,
    NonNegative,
    Temperature,
    TopP,
)
from wakeful.gateway.openai.items.objects import OutputItem
from wakeful.gateway.openai.usage import ResponseUsage
from wakeful.model.api.request import MCP_CALL
from wakeful.wire.declared import Outgoing, among

# The fields of a request that a response echoes, with their defaults.
_ECHOED: Mapping[str, Any] = {
    "instructions": None,
    "max_output_tokens": None,
    "max_tool_calls": None,
    "metadata": {},
    "parallel_tool_calls": True,
    "prompt_cache_key": None,
    "safety_identifier": None,
    "temperature": 1.0,
    "tool_choice": "auto",
    "top_logprobs": 0,
    "top_p": 1.0,
    "truncation": "disabled",
    "user": None,
}
_MAYBE = {"type": ["string", "null"]}
_REASONING = {"effort": None, "summary": None}
_TEXT = {"format": {"type": "text"}}
_FUNCTION = {"description": None, "parameters": None, "strict": None}


def _with(**fields: Any) -> Meta:
    return Meta(extra_json_schema={"properties": fields, "required": list(fields)})


class ConversationRef(Outgoing):
    id: str


class ResponseObject(Outgoing):
    id: str
    object: Literal["response"] = "response"
    created_at: NonNegative
    status: Annotated[str, among(("queued", "in_progress", "completed", "failed", "cancelled", "incomplete"))]
    background: bool
    completed_at: NonNegative | None
    error: FailureDetails | None
    incomplete_details: IncompleteDetails | None
    instructions: str | None
    max_output_tokens: Annotated[int | None, Meta(ge=1)]
    max_tool_calls: NonNegative | None
    metadata: dict[str, str]
    model: str
    output: list[OutputItem]
    parallel_tool_calls: bool
    previous_response_id: str | None
    conversation: ConversationRef | None
    prompt_cache_key: str | None
    # The client's values are echoed unchanged, with undeclared keys too, so some fields are plain dictionaries.
    reasoning: Annotated[dict[str, Any], _with(effort=_MAYBE, summary=_MAYBE)]
    safety_identifier: str | None
    service_tier: str
    store: bool
    temperature: Temperature
    text: Annotated[dict[str, Any], _with(format={"type": "object"})]
    tool_choice: str | dict[str, Any]
    tools: list[dict[str, Any]]
    top_logprobs: NonNegative
    top_p: TopP
    truncation: str
    usage: ResponseUsage | None
    user: str | None


class DeletedResponse(Outgoing):
    id: str
    object: Literal["response"] = "response"
    deleted: bool = True


@dataclass(frozen=True, slots=True)
class ResponseFacts:
    """What is known of a response before it begins."""

    id: str
    model: str
    # Unix seconds.
    created_at: int
    previous_response_id: str | None = None
    conversation_id: str | None = None
    is_stored: bool = True
    is_background: bool = False
    # The type of item that shows calls of the server's tools.
    tool_items: str = MCP_CALL


@dataclass(slots=True)
class ResponseState:
    """What changes while a response runs, besides its output."""

    status: str
    completed_at: int | None = None
    error: FailureDetails | None = None
    incomplete_reason: str | None = None
    usage: ResponseUsage | None = None


class ResponseForm:
    """Makes the object of one response from its state and its output."""

    def __init__(self, facts: ResponseFacts, request: Mapping[str, Any]) -> None:
        """`request` is the body as the client sent it, already checked."""
        self._fixed = _fixed(facts) | _echo(request)

    def fill(self, state: ResponseState, output: list[OutputItem]) -> ResponseObject:
        reason = state.incomplete_reason
        return ResponseObject(
            **self._fixed,
            status=state.status,
            completed_at=state.completed_at,
            error=state.error,
            incomplete_details=None if reason is None else IncompleteDetails(reason=reason),
            output=output,
            usage=state.usage,
        )


def _fixed(facts: ResponseFacts) -> dict[str, Any]:
    conversation = facts.conversation_id
    return {
        "id": facts.id,
        "created_at": facts.created_at,
        "background": facts.is_background,
        "model": facts.model,
        "previous_response_id": facts.previous_response_id,
        "conversation": None if conversation is None else ConversationRef(id=conversation),
        "store": facts.is_stored,
    }


def _echo(request: Mapping[str, Any]) -> dict[str, Any]:
    given = {key: value for key, value in request.items() if value is not None}
    tier = given.get("service_tier", "auto")
    return {
        **{key: given.get(key, default) for key, default in _ECHOED.items()},
        "reasoning": _REASONING | given.get("reasoning", {}),
        # A response names the tier that was used; "auto" is not one.
        "service_tier": "default" if tier == "auto" else tier,
        "text": _TEXT | {key: value for key, value in given.get("text", {}).items() if value is not None},
        "tools": [_tool(tool) for tool in given.get("tools", [])],
    }


def _tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    return (_FUNCTION if tool.get("type") == "function" else {}) | dict(tool)
