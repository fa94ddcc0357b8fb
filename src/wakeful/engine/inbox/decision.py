"""Decides whether a session's next turn opens, which rows it takes, and which rows wait.

Pure: a lane goes in, a decision comes out. Every opening and every closing of a turn is decided here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import orjson

from wakeful.engine import turn_events
from wakeful.engine.settings import EngineSettings
from wakeful.model import event as events
from wakeful.model.api.request import request_as_far_as_known
from wakeful.model.event import NewEvent
from wakeful.model.files.attachment import shown_fields
from wakeful.model.ids import new_id
from wakeful.model.inbox import UNDO, Batch, InboxRow, RowKind, next_batch
from wakeful.model.journal.entry import Entry, input_entry
from wakeful.model.lane import Lane
from wakeful.model.opening import Closing, Opening, Step
from wakeful.model.session import Session, WakeReason
from wakeful.model.spend import end_of_day
from wakeful.model.turn import COMPACTION, Outcome, Turn, TurnStatus

# Senders choose the dedupe keys of messages; the prefix keeps them apart from the keys of tasks and retries.
MESSAGE_PREFIX = "message:"

_HOUR = 3600.0
# A turn that fails with one of these blocks the session's wake-ups: they would only fail again.
_BLOCKING_CODES = frozenset({"model_auth", "model_credit"})


@dataclass(frozen=True, slots=True)
class Wait:
    until: float
    reason: WakeReason


@dataclass(frozen=True, slots=True)
class Decision:
    opening: Opening | None = None
    # The arriving rows that have to wait.
    posted: tuple[InboxRow, ...] = ()
    # Until when notices and unasked messages wait; None if the session's row says so already.
    wait: Wait | None = None


@dataclass(frozen=True, slots=True)
class Rules:
    node: str
    settings: EngineSettings
    # False on a node that is stopping: it leaves pending rows to the next one.
    may_open: bool = True

    def decide(self, lane: Lane, *arrivals: InboxRow) -> Decision:
        """Decide what opens and what waits when these rows arrive."""
        coming = tuple(self._with_company(lane, row) for row in arrivals)
        if lane.session.active is not None or lane.session.is_deleted or not self.may_open:
            return Decision(posted=coming)
        notices_wait = lane.session.is_held or lane.session.is_blocked
        reachable = [row for row in (*lane.pending, *coming) if self._is_reachable(row)]
        spend = self._spend_wait(lane)
        ready = [row for row in reachable if spend is None or _may_cost(lane, row) or row.kind is not RowKind.MESSAGE]
        batch = next_batch(ready, lane.now, notices_wait=notices_wait)
        if batch is None:
            return Decision(posted=coming, wait=_news(lane, spend) if len(ready) < len(reachable) else None)
        if batch.is_wakeup and (wait := self._wakeup_wait(lane, batch, spend)) is not None:
            return Decision(posted=coming, wait=_news(lane, wait))
        return Decision(self._opening(lane, batch), tuple(row for row in coming if row not in batch.rows))

    def close(
        self,
        lane: Lane,
        turn: Turn,
        outcome: Outcome,
        *,
        by_user: bool = False,
        answer: Step | None = None,
        cut: Sequence[Entry] = (),
        end: NewEvent,
        arrivals: Sequence[InboxRow] = (),
    ) -> tuple[Closing, Decision]:
        """Decide how the running turn of a lane ends, and what opens next. `end` is the turn's last event, `answer` its
        last answer if that is not recorded yet, `cut` the entries that keep an unfinished answer.
        """
        settled = settled_session(lane.session, turn, outcome, by_user=by_user)
        coming = [*arrivals, *([self._retry(turn, lane.now)] if self.is_tried_again(turn, outcome) else [])]
        spent_usd = lane.spent_usd + (0.0 if answer is None or answer.cost is None else answer.cost.usd)
        decision = self.decide(replace(lane, session=settled, active=None, spent_usd=spent_usd), *coming)
        closing = Closing(
            turn,
            outcome,
            (end,) if answer is None else (*answer.facts, end),
            tuple(cut) if answer is None else (*answer.entries, *cut),
            None if answer is None else answer.cost,
            checkpoint=settled.checkpoint,
            is_held=settled.is_held,
            is_blocked=settled.is_blocked,
            posted=decision.posted,
            next=decision.opening,
        )
        return closing, decision

    def is_tried_again(self, turn: Turn, outcome: Outcome) -> bool:
        return turn.is_wakeup and outcome.passing and turn.attempt + 1 < self.settings.wake_retry_limit

    def _spend_wait(self, lane: Lane) -> Wait | None:
        cap = self.settings.waking_spend_usd
        if cap is None or lane.spent_usd < cap:
            return None
        return Wait(end_of_day(lane.now), WakeReason.SPEND)

    def _wakeup_wait(self, lane: Lane, batch: Batch, spend: Wait | None) -> Wait | None:
        """Return what a wake-up has to wait for, None if it may open."""
        if spend is not None and not any(_may_cost(lane, row) for row in batch.rows):
            return spend
        return None if lane.spent_at is None else Wait(lane.spent_at + _HOUR, WakeReason.BUDGET)

    def _is_reachable(self, row: InboxRow) -> bool:
        """Return whether the answer to a row can be delivered; to a message it is given wherever its session shows."""
        return (
            row.kind in (RowKind.MESSAGE, RowKind.REMARK) or row.address.platform not in self.settings.closed_platforms
        )

    def _with_company(self, lane: Lane, row: InboxRow) -> InboxRow:
        """Delay a notice a little if its session is idle and other promised work of it runs: ends that come close
        together then share one turn. The time is stored, so a crash in between loses nothing.
        """
        if row.kind is not RowKind.NOTICE or lane.session.active is not None or not lane.promised:
            return row
        return replace(row, not_before=row.created_at + self.settings.wake_company_seconds)

    def _opening(self, lane: Lane, batch: Batch) -> Opening:
        session, first = lane.session, batch.first
        asked = first.data
        shown = [row for row in batch.rows if row.kind is not RowKind.RETRY and row.source != COMPACTION]
        turn = Turn(
            id=first.turn_id,
            session_id=session.id,
            parent=session.checkpoint if asked.get("from_checkpoint") else session.head,
            door=first.door,
            address=first.address,
            source=first.source,
            is_wakeup=batch.is_wakeup,
            # No message has chosen a model for a wake-up: it uses the session's current one.
            model=(session.model or first.model) if batch.is_wakeup else first.model,
            status=TurnStatus.RUNNING,
            node=self.node,
            epoch=1,
            attempt=min(_attempt(row) for row in batch.rows),
            workspace=session.workspace,
            message_id="" if batch.message is None else batch.message.dedupe_key.removeprefix(MESSAGE_PREFIX),
            request=orjson.dumps(asked.get("request", {})),
        )
        inputs = entries_of(turn.id, 0, 0, shown, "opened" if batch.is_wakeup else "with_message", lane.now)
        facts = (turn_events.started(turn), *map(input_event, inputs))
        return Opening(
            turn=replace(turn, last_seq=len(facts)),
            claimed=tuple(row.id for row in batch.rows if row.id),
            posted=tuple(row for row in batch.rows if not row.id),
            entries=tuple(inputs),
            facts=facts,
            releases_hold=not batch.is_wakeup and first.source != COMPACTION,
        )

    def _retry(self, turn: Turn, now: float) -> InboxRow:
        attempt = turn.attempt + 1
        return InboxRow(
            id=0,
            session_id=turn.session_id,
            dedupe_key=f"retry:{turn.id}",
            kind=RowKind.RETRY,
            source=turn.source,
            turn_id=new_id("turn"),
            door=turn.door,
            address=turn.address,
            model=turn.model,
            payload=orjson.dumps({"attempt": attempt}),
            not_before=now + self.settings.wake_retry_seconds * 2 ** (attempt - 1),
        )


def _may_cost(lane: Lane, row: InboxRow) -> bool:
    """Return whether a row may open a turn although the day's spend is reached: a person asked for it, or has written
    to the session since it waits.
    """
    return row.is_asked or (row.id != 0 and row.created_at < lane.asked_at)


def _news(lane: Lane, wait: Wait | None) -> Wait | None:
    """Return the wait, None if the session's row has it already."""
    known = lane.session.wake_at, lane.session.wake_reason
    return None if wait is None or known == (wait.until, wait.reason) else wait


def settled_session(session: Session, turn: Turn, outcome: Outcome, *, by_user: bool) -> Session:
    """Return the session as it is after the end of this turn."""
    is_done = outcome.status is TurnStatus.DONE
    return replace(
        session,
        active=None,
        head=turn.id,
        checkpoint=turn.id if is_done and _is_whole(turn, outcome) else session.checkpoint,
        is_held=session.is_held or by_user,
        # A summary may have been made without a model.
        is_blocked=outcome.code in _BLOCKING_CODES
        or (session.is_blocked and (not is_done or turn.source == COMPACTION)),
    )


def entries_of(
    turn_id: str, step: int, index: int, rows: Sequence[InboxRow], delivered: str, now: float
) -> list[Entry]:
    """Return the journal entries of the rows, from this step and index on. `delivered` says how a notice reached the
    agent: it opened the turn, came with its message, or joined it.
    """
    inputs: list[dict[str, Any]] = []
    for is_remark, group in groupby(rows, key=lambda row: row.kind is RowKind.REMARK):
        some = list(group)
        inputs += [_undone(some)] if is_remark else [data for row in some for data in _inputs_of(row, delivered, now)]
    return [input_entry(turn_id, step, index + offset, data) for offset, data in enumerate(inputs)]


def input_event(entry: Entry) -> NewEvent:
    recorded = entry.data
    data = {"message_id": entry.id, "source": recorded["source"], "content": recorded["text"]}
    if recorded.get("attachments"):
        data["attachments"] = [shown_fields(file) for file in recorded["attachments"]]
    if "role" in recorded:
        data["role"] = recorded["role"]
    if recorded["source"] == UNDO:
        data["role"] = "note"
    if "notice" in recorded:
        return NewEvent.quoting(events.NOTICE, data | recorded["notice"], entry.step, entry.index)
    data["client_message_id"] = recorded["message_id"]
    return NewEvent.quoting(events.MESSAGE, data, entry.step, entry.index)


def _is_whole(turn: Turn, outcome: Outcome) -> bool:
    """Return whether the conversation includes the turn's answer. A response that was cut at the model's output limit
    is left out; at other doors a cut answer stays, because the client goes on from what it has seen.
    """
    return not outcome.incomplete or request_as_far_as_known(turn.request).kind != "response"


def _attempt(row: InboxRow) -> int:
    """Return how many times the row's wake-up has failed; 0 for new notices and messages."""
    attempt: int = row.data["attempt"] if row.kind is RowKind.RETRY else 0
    return attempt


def _undone(remarks: Sequence[InboxRow]) -> dict[str, Any]:
    """Return one input for all files that were put back since the last message."""
    paths = dict.fromkeys(row.data["text"] for row in remarks)
    return {"source": remarks[0].source, "message_id": "", "text": f"[Undone: {', '.join(paths)}]"}


def _inputs_of(row: InboxRow, delivered: str, now: float) -> Iterator[dict[str, Any]]:
    data = row.data
    origin = {"source": row.source, "message_id": row.dedupe_key.removeprefix(MESSAGE_PREFIX)}
    if inputs := data.get("inputs"):
        yield from (origin | given for given in inputs)
    elif row.kind is RowKind.NOTICE:
        latency = round(max(0.0, now - row.created_at) * 1000)
        notice = data.get("notice", {}) | {"delivered": delivered, "latency_ms": latency}
        yield origin | {"text": data["text"], "notice": notice}
    else:
        files = {"attachments": data["attachments"]} if data.get("attachments") else {}
        yield origin | {"text": data["text"]} | files
