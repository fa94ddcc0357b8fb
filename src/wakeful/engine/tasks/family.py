"""The tree of sessions that delegations make: which session works for which."""

from collections.abc import Sequence

from wakeful.engine.inbox.dispatcher import require_session
from wakeful.engine.tasks.task_runner import require_task
from wakeful.model.session import Session
from wakeful.store.base import Transaction


async def sessions_above(tx: Transaction, session_id: str) -> list[Session]:
    """Return the session and its ancestors, from the one that it works for up to the root."""
    found = [await require_session(tx, session_id)]
    while (task_id := found[-1].task_id) is not None:
        found.append(await require_session(tx, (await require_task(tx, task_id)).session_id))
    return found


async def has_woken_turn(tx: Transaction, above: Sequence[Session]) -> bool:
    """Return whether notices alone have opened a turn that one of these sessions works for."""
    for task_id in (session.task_id for session in above if session.task_id is not None):
        turn = await tx.turns.get((await require_task(tx, task_id)).turn_id)
        if turn is not None and turn.is_wakeup:
            return True
    return False


async def child_below(tx: Transaction, session_id: str, task_id: str) -> str | None:
    """Return the session that works on this delegation, if the delegation is below `session_id` at any depth."""
    task = await tx.tasks.get(task_id)
    child = None if task is None else task.child_session_id
    while task is not None and task.session_id != session_id:
        above = (await require_session(tx, task.session_id)).task_id
        task = None if above is None else await tx.tasks.get(above)
    return None if task is None else child
