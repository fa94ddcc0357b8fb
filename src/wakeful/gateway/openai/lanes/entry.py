"""How a turn enters its lane: a stored one takes it, any other only looks at what it has so far."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from wakeful.engine.engine import Engine
from wakeful.engine.inbox.submission import Receipt, Submission
from wakeful.errors import NameTaken
from wakeful.gateway.openai.errors import ApiError
from wakeful.gateway.openai.lanes.conversation_state import state_of
from wakeful.gateway.openai.lanes.lane import ApiLane
from wakeful.model.journal import Entry
from wakeful.model.session import Session
from wakeful.store.base import Transaction

T = TypeVar("T")


async def until_entered(begin: Callable[[], Awaitable[T]]) -> T:
    """Begin a turn whose lane may have a new name: where another request was quicker, the next try finds it."""
    while True:
        try:
            return await begin()
        except NameTaken:
            continue


async def enter(engine: Engine, lane: ApiLane, submission: Submission) -> Receipt:
    """Open a turn in the lane. One that is new is made in the same transaction: a request that is refused leaves none.
    Raises ApiError while another turn is at work in it, and NameTaken.
    """
    submission = in_lane(submission, lane)
    return await engine.submit(submission, before=None if lane.new_session is not None else partial(require_idle, lane))


def in_lane(submission: Submission, lane: ApiLane) -> Submission:
    """The submission, with what is made of the lane when it opens."""
    return replace(submission, session=lane.new_session, conversation=lane.new_conversation)


async def require_idle(lane: ApiLane, tx: Transaction) -> None:
    """Raises ApiError while another turn is at work in the lane."""
    if lane.new_session is None:
        await _idle_session(tx, lane)


async def look_into(tx: Transaction, lane: ApiLane) -> tuple[Session, Sequence[Entry]]:
    """The lane's session, and all that was recorded up to its checkpoint. Raises ApiError as `require_idle` does."""
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


async def _idle_session(tx: Transaction, lane: ApiLane) -> Session:
    session = await tx.sessions.get(lane.session_id)
    if session is None or session.active is not None:
        raise busy(await state_of(tx, session), is_conversation=lane.conversation_id is not None)
    return session
