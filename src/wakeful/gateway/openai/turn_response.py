"""A turn of the API as a response: what of it is fixed before it runs."""

from wakeful.gateway.openai.api import response_id
from wakeful.gateway.openai.response_object import ResponseFacts
from wakeful.gateway.openai.response_projection import ResponseProjection
from wakeful.model.request import request_from
from wakeful.model.turn import Turn


def response_of(turn: Turn, conversation_id: str | None) -> ResponseProjection:
    """As it was before its first event."""
    echo = dict(request_from(turn.request).echo)
    facts = ResponseFacts(
        id=response_id(turn.id),
        model=echo.get("model") or turn.model,
        created_at=int(turn.opened_at),
        previous_response_id=echo.get("previous_response_id"),
        conversation_id=conversation_id,
        is_stored=not turn.is_ephemeral,
        is_background=bool(echo.get("background")),
    )
    return ResponseProjection(facts, echo)
