"""How a turn enters its lane: a stored turn occupies it, an unstored one only reads its history."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from wakeful.engine.engine import Engine
from wakeful.engine.inbox.submission import Receipt, Submission
from wakeful.errors import NameTaken
from wakeful.gateway.openai.errors import NO_RETRY, ApiError
from wakeful.gateway.openai.lanes.conversation_state import state_of
from wakeful.gateway.openai.lanes.lane import ApiLane
from wakeful.model.journal.entry import Entry
from wakeful.model.session import Session
from wakeful.store.base import Transaction

T = TypeVar("T")

_ALL_TURNS = 1 << 31


async def until_entered(begin: Callable[[], Awaitable[T]]) -> T:
    """Call `begin`, and again if another request took the lane's new name first: the next try finds that lane."""
    while True:
        try:
            return await begin()
        except NameTaken:
            continue


async def enter(engine: Engine, lane: ApiLane, submission: Submission) -> Receipt:
    """Open a turn in the lane. A new lane is made in the same transaction, so a refused request leaves none behind.
    Raises NameTaken, and ApiError while another turn is running in the lane.
    """
    submission = in_lane(submission, lane)
    return await engine.submit(submission, before=None if lane.new_session is not None else partial(require_idle, lane))


def in_lane(submission: Submission, lane: ApiLane) -> Submission:
    """Return the submission with the session and the conversation that are to be made with the turn."""
    return replace(submission, session=lane.new_session, conversation=lane.new_conversation)


async def require_idle(lane: ApiLane, tx: Transaction) -> None:
    """Raise ApiError if another turn is running in the lane."""
    if lane.new_session is None:
        await _idle_session(tx, lane)


async def lane_history(tx: Transaction, lane: ApiLane) -> tuple[Session, Sequence[Entry]]:
    """Return the lane's session and the journal of its context up to the checkpoint. Raises ApiError as `require_idle`
    does.
    """
    session = lane.new_session or await _idle_session(tx, lane)
    return session, await context_of(tx, session.checkpoint)


async def context_of(tx: Transaction, turn_id: str | None) -> list[Entry]:
    """Return the journal that a turn which grows from this one reads: from the newest summary on."""
    return [] if turn_id is None else (await tx.journal.of_chain_after(turn_id, (), _ALL_TURNS)).entries


def busy(state: dict[str, Any], *, is_conversation: bool = True) -> ApiError:
    """Return the 409 for a lane that has a running turn. `state` comes from `state_of`."""
    message = "The conversation's last response has not completed."
    if not is_conversation:
        message = "Another turn of this session is running: wait until it ends, or stop it."
    code = "conversation_response_not_completed"
    return ApiError(409, code, message, param="conversation", headers=NO_RETRY, details=state)


async def _idle_session(tx: Transaction, lane: ApiLane) -> Session:
    session = await tx.sessions.get(lane.session_id)
    if session is None or session.active is not None:
        raise busy(await state_of(tx, session), is_conversation=lane.conversation_id is not None)
    return session
