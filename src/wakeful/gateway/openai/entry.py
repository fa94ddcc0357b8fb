"""How a turn enters its lane: a stored one takes it, any other only looks at what it has so far."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from wakeful.gateway.openai.conversation_state import state_of
from wakeful.gateway.openai.errors import ApiError
from wakeful.gateway.openai.lane import Lane
from wakeful.model.conversation import Conversation
from wakeful.model.journal import Entry
from wakeful.model.session import Session
from wakeful.store.base import Transaction

T = TypeVar("T")


class NameTaken(Exception):
    """Another request was quicker with the same new name."""


async def until_entered(begin: Callable[[], Awaitable[T]]) -> T:
    """Begin a turn whose lane may have a new name: where another request was quicker, the next try finds it."""
    while True:
        try:
            return await begin()
        except NameTaken:
            continue


async def enter(tx: Transaction, lane: Lane) -> None:
    """Make the lane if it is new, in the transaction that opens its turn: a request that is refused leaves none.
    Raises ApiError while another turn is at work in it, and NameTaken.
    """
    if lane.new_session is None:
        await _idle_session(tx, lane)
        return
    now = await tx.now()
    await tx.sessions.create_if_absent(replace(lane.new_session, created_at=now, updated_at=now))
    if lane.new_conversation is not None and not await _create(tx, lane.new_conversation, now):
        raise NameTaken


async def look_into(tx: Transaction, lane: Lane) -> tuple[Session, Sequence[Entry]]:
    """The lane's session, and all that was recorded up to its checkpoint. Raises ApiError as `enter` does."""
    session = lane.new_session or await _idle_session(tx, lane)
    return session, () if session.checkpoint is None else await tx.journal.of_chain(session.checkpoint)


def busy(state: dict[str, Any], *, is_conversation: bool = True) -> ApiError:
    """`state` is what `state_of` says."""
    message = "The conversation's last response has not completed."
    if not is_conversation:
        message = "Another turn of this session is at work: wait for its end, or stop it."
    headers = {"x-should-retry": "false"}
    code = "conversation_response_not_completed"
    return ApiError(409, code, message, param="conversation", headers=headers, details=state)


async def _create(tx: Transaction, conversation: Conversation, now: float) -> bool:
    return await tx.conversations.create_if_absent(replace(conversation, created_at=now))


async def _idle_session(tx: Transaction, lane: Lane) -> Session:
    session = await tx.sessions.get(lane.session_id)
    if session is None or session.active is not None:
        raise busy(await state_of(tx, session), is_conversation=lane.conversation_id is not None)
    return session
