"""The response that is running in a conversation, and the last one that completed."""

from wakeful.gateway.openai.api import response_id
from wakeful.model.api.request import request_as_far_as_known
from wakeful.model.session import Session
from wakeful.model.turn import Turn
from wakeful.store.base import Transaction

# How many turns are read at a time.
_PAGE = 20


async def state_of(tx: Transaction, session: Session | None) -> dict[str, str | None]:
    """Return the ids of both; None where there is none, or where the turn is not a response that a client could get."""
    active = None if session is None or session.active is None else await tx.turns.get(session.active)
    latest = None if session is None else await _latest(tx, session.checkpoint)
    return {
        "latest_completed_response_id": None if latest is None else response_id(latest.id),
        "active_response_id": response_id(active.id) if active is not None and _is_shown(active) else None,
    }


async def _latest(tx: Transaction, turn_id: str | None) -> Turn | None:
    """Return the newest response of the chain, which also has chats, runs and items that were only added."""
    while turn_id is not None:
        page = await tx.turns.chain(turn_id, _PAGE)
        for turn in page:
            if _is_shown(turn):
                return turn
        turn_id = page[-1].parent
    return None


def _is_shown(turn: Turn) -> bool:
    return request_as_far_as_known(turn.request).kind == "response" and not turn.is_hidden
