"""How a delegation ended, and the notice that its parent gets."""

import orjson

from wakeful.model.inbox import RowKind
from wakeful.model.journal.entry import EntryKind, answer_of
from wakeful.model.session import Session
from wakeful.model.tasks.notice_text import notice_text
from wakeful.model.tasks.task import Task, TaskOutcome, TaskStatus
from wakeful.store.base import Transaction

# How many turns to search for the last answer of a sub-agent whose last turns have none.
_TURNS = 20
TIME_IS_OVER = "its time was over (WAKEFUL_DELEGATION_SECONDS)"


async def delegation_outcome(tx: Transaction, task: Task, child: Session, *, is_late: bool) -> TaskOutcome | None:
    """Return the outcome; None while the delegation goes on. Both sessions are locked and the child runs no turn."""
    pending = await tx.inbox.pending(child.id)
    has_message = any(row.kind is RowKind.MESSAGE for row in pending)
    goes_on = bool(pending) or await tx.tasks.has_promised(child.id)
    if task.kill_intended:
        return await _killed(tx, child)
    if not goes_on and child.head is not None and child.head == child.checkpoint:
        # Checked before `is_late`: it was done in time, even if this check comes after the deadline.
        return await _completed(tx, task, child)
    if is_late:
        return await _failed(tx, task, child, TIME_IS_OVER)
    if has_message:
        return None
    if child.is_held:
        # A person stopped the sub-agent and needs no notice of it.
        await tx.tasks.intend_kill_if_running(task.id)
        return await _killed(tx, child)
    if goes_on and not child.is_blocked:
        return None
    return await _failed(tx, task, child, await _error_of(tx, child))


def failure_words(reason: str, last_words: str) -> str:
    """Return the result text of a delegation that failed."""
    return f"{reason}\nIts last words:\n{last_words}" if last_words else reason


async def _completed(tx: Transaction, task: Task, child: Session) -> TaskOutcome:
    answer = await _last_answer(tx, child)
    notice = notice_text(f"Background delegation {task.id} completed.", f"Goal: {task.command}\nResult:\n{answer}")
    return TaskOutcome(TaskStatus.EXITED, 0, notice, answer)


async def _killed(tx: Transaction, child: Session) -> TaskOutcome:
    return TaskOutcome(TaskStatus.KILLED, None, "", await _last_answer(tx, child))


async def _failed(tx: Transaction, task: Task, child: Session, reason: str) -> TaskOutcome:
    said = failure_words(reason, await _last_answer(tx, child))
    notice = notice_text(f"Background delegation {task.id} failed.", f"Goal: {task.command}\nResult:\n{said}")
    return TaskOutcome(TaskStatus.FAILED, None, notice, said)


async def _last_answer(tx: Transaction, child: Session) -> str:
    """Return the sub-agent's last answer with text; empty if it has none."""
    if child.head is None:
        return ""
    for turn in await tx.turns.chain(child.head, _TURNS):
        for entry in reversed(await tx.journal.of_turns([turn.id])):
            if entry.kind is EntryKind.ANSWER and (text := answer_of(entry).text):
                return text
    return ""


async def _error_of(tx: Transaction, child: Session) -> str:
    turn = None if child.head is None else await tx.turns.get(child.head)
    if turn is None or turn.error is None:
        return "its last turn did not complete"
    message: str = orjson.loads(turn.error)["message"]
    return message
