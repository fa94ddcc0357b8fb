"""How a turn enters its lane: a stored one takes it, any other only looks at what it has so far."""

from collections.abc import Sequence

from wakeful.gateway.openai.errors import ApiError
from wakeful.gateway.openai.lane import Lane
from wakeful.model.journal import Entry
from wakeful.model.session import Session
from wakeful.store.base import Transaction


async def enter(tx: Transaction, lane: Lane) -> None:
    """Raises ApiError while another turn is at work in the lane."""
    if lane.new_session is not None:
        await tx.sessions.create_if_absent(lane.new_session)
    else:
        await _idle_session(tx, lane)


async def look_into(tx: Transaction, lane: Lane) -> tuple[Session, Sequence[Entry]]:
    """The lane's session, and all that was recorded up to its checkpoint. Raises ApiError as `enter` does."""
    session = lane.new_session or await _idle_session(tx, lane)
    return session, () if session.checkpoint is None else await tx.journal.of_chain(session.checkpoint)


async def _idle_session(tx: Transaction, lane: Lane) -> Session:
    session = await tx.sessions.get(lane.session_id)
    if session is None or session.active is not None:
        message = "The conversation's last response has not completed."
        headers = {"x-should-retry": "false"}
        raise ApiError(409, "conversation_response_not_completed", message, param="conversation", headers=headers)
    return session
