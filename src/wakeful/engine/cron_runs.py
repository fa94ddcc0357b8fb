"""The run of a cron job follows its turn: each change is part of the transaction that changes the turn."""

from wakeful.model.inbox import InboxRow
from wakeful.model.schedules.cron_job import RunStatus
from wakeful.model.turn import Outcome, Turn, TurnStatus
from wakeful.store.base import Transaction

# The source of messages that schedules post.
CRON = "cron"


async def begin_run(tx: Transaction, turn: Turn) -> None:
    if turn.source == CRON:
        await tx.cron_jobs.change_run_of(turn.id, status=RunStatus.RUNNING, started_at=turn.opened_at)


async def end_run(tx: Transaction, turn: Turn, outcome: Outcome) -> None:
    if turn.source == CRON:
        status = RunStatus.DONE if outcome.status is TurnStatus.DONE else RunStatus.FAILED
        await tx.cron_jobs.change_run_of(turn.id, status=status, reason=outcome.message)


async def withdraw_run(tx: Transaction, row: InboxRow) -> None:
    if row.source == CRON:
        await tx.cron_jobs.change_run_of(row.turn_id, status=RunStatus.FAILED, reason="Its message was withdrawn.")
