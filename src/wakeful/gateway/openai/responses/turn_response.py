"""The projection of a turn as a response, before its first event."""

from dataclasses import replace
from typing import Any

from wakeful.gateway.openai.api import response_id
from wakeful.gateway.openai.lanes.lane import ApiLane
from wakeful.gateway.openai.responses.projection import ResponseProjection
from wakeful.gateway.openai.responses.response import ResponseFacts
from wakeful.model.api.request import FUNCTION_CALL, MCP_CALL, TurnRequest, request_as_far_as_known
from wakeful.model.turn import Turn


def in_conversation(asked: TurnRequest, lane: ApiLane) -> TurnRequest:
    """Return the request with the id of its conversation. A response always shows that id, because the name may come to
    mean another conversation.
    """
    conversation = None if lane.conversation_id is None else {"id": lane.conversation_id}
    return replace(asked, echo={**asked.echo, "conversation": conversation})


def response_of(turn: Turn) -> ResponseProjection:
    """Return the turn's projection, without any of its events."""
    asked = request_as_far_as_known(turn.request)
    echo = dict(asked.echo)
    facts = ResponseFacts(
        id=response_id(turn.id),
        model=echo.get("model") or turn.model,
        created_at=int(turn.opened_at),
        previous_response_id=echo.get("previous_response_id"),
        conversation_id=_conversation_id(echo.get("conversation")),
        is_stored=not turn.is_ephemeral,
        is_background=bool(echo.get("background")),
        tool_items=asked.tool_items or (FUNCTION_CALL if asked.kind else MCP_CALL),
    )
    return ResponseProjection(facts, echo)


def _conversation_id(echoed: Any) -> str | None:
    return echoed["id"] if isinstance(echoed, dict) else None
