"""What a session learns of its background tasks: the events in its log and the notices in its inbox."""

from collections.abc import Mapping
from typing import Any

import orjson

from wakeful.model import event as events
from wakeful.model.event import NewEvent
from wakeful.model.ids import new_id
from wakeful.model.inbox import InboxRow, RowKind
from wakeful.model.tasks.task import Task, TaskOutcome, WatchMatch

_SUMMARY_LENGTH = 200


def complete_event(task: Task) -> NewEvent:
    lines = task.result.strip().splitlines()
    data = {
        "session_id": task.session_id,
        "process_id": task.id,
        "kind": task.kind,
        "event_id": task.notice_key,
        "status": task.status,
        "exit_code": task.exit_code,
        "summary": lines[-1][:_SUMMARY_LENGTH] if lines else "",
    }
    return NewEvent.of(events.PROCESS_COMPLETE, data)


def match_event(task: Task, match: WatchMatch) -> NewEvent:
    data = {
        "session_id": task.session_id,
        "process_id": task.id,
        "event_id": _match_key(task, match),
        "pattern": match.pattern,
        "line": match.line,
    }
    return NewEvent.of(events.WATCH_MATCH, data)


def _match_key(task: Task, match: WatchMatch) -> str:
    return f"watch:{task.id}:{match.offset}"


def end_row(task: Task, outcome: TaskOutcome) -> InboxRow:
    ended_at = task.ended_at or task.started_at
    notice = _notice_of(task, ended_at) | {"kind": task.kind, "output": task.result, "cut": outcome.is_cut}
    return _row(task, task.notice_key, f"{task.kind}_wakeup", outcome.notice, notice, ended_at)


def match_row(task: Task, match: WatchMatch, now: float) -> InboxRow:
    shown = {"kind": "watch", "output": match.line, "cut": False, "pattern": match.pattern}
    notice = _notice_of(task, now) | shown
    return _row(task, _match_key(task, match), "watch_match", match.notice, notice, now)


def _notice_of(task: Task, now: float) -> dict[str, Any]:
    return {
        "task_id": task.id,
        "command": task.command,
        "status": task.status,
        "exit_code": task.exit_code,
        "seconds": round(now - task.started_at, 3),
    }


def _row(task: Task, key: str, source: str, text: str, notice: Mapping[str, Any], now: float) -> InboxRow:
    return InboxRow(
        id=0,
        session_id=task.session_id,
        dedupe_key=key,
        kind=RowKind.NOTICE,
        source=source,
        turn_id=new_id("turn"),
        door=task.door,
        address=task.address,
        model=task.model,
        payload=orjson.dumps({"text": text, "notice": notice}),
        created_at=now,
    )
