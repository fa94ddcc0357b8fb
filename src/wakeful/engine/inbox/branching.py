"""Branching: a new session that goes on from a turn of another one."""

from wakeful.engine.inbox.dispatcher import require_session
from wakeful.engine.inbox.rewinding import belongs_to, latest_done
from wakeful.engine.inbox.title import branch_title
from wakeful.errors import TurnNotFound
from wakeful.model.approvals.mode import Mode
from wakeful.model.ids import new_id
from wakeful.model.session import Session
from wakeful.model.turn import Turn
from wakeful.store.base import Transaction


async def branch_off(tx: Transaction, session_id: str, turn_id: str | None, *, may_choose_everything: bool) -> Session:
    """Create a session that continues from a closed turn of this one, by default the last. It has the same mode, unless
    only the operator may choose that one. Raises TurnNotFound.
    """
    session = await require_session(tx, session_id)
    head = await _closed_turn(tx, session, turn_id or session.head)
    now = await tx.now()
    branch = Session(
        new_id("ses"),
        session.owner,
        session.address,
        session.model,
        session.workspace,
        await branch_title(tx, session),
        mode="" if session.mode == Mode.EVERYTHING and not may_choose_everything else session.mode,
        head=head.id,
        checkpoint=await latest_done(tx, head),
        message_count=await tx.journal.count_chain(head.id),
        todo=session.todo,
        created_at=now,
        updated_at=now,
    )
    await tx.sessions.create_if_absent(branch)
    return branch


async def _closed_turn(tx: Transaction, session: Session, turn_id: str | None) -> Turn:
    if turn_id is None:
        raise TurnNotFound("There is nothing to branch from yet: no turn of this session has ended.")
    turn = await tx.turns.get(turn_id)
    if turn is None or not turn.status.is_final or not await belongs_to(tx, turn, session):
        raise TurnNotFound(f"There is no closed turn {turn_id} in this session.")
    return turn
