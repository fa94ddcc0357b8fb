"""Describes background work to the user: what it was, how it ended, how the agent was notified."""

from collections.abc import Sequence
from typing import Any

from wakeful.cli.lists.short_id import short_id
from wakeful.cli.plain_text import duration, one_line
from wakeful.model.tasks.end_words import end_label, short_command
from wakeful.model.tasks.task import TaskKind

# A shorter wait counts as "at once".
_AT_ONCE_MS = 1000


def job_title(notice: dict[str, Any]) -> str:
    """Return the title of a job's card, as in: `pytest -q` failed · exit code 1."""
    name = job_name(notice)
    if notice.get("source") == "watch_match":
        return f'{name} printed "{one_line(notice.get("pattern") or "")}"'
    kind = TaskKind.DELEGATION if is_delegation(notice) else TaskKind.PROCESS
    return f"{name} {end_label(notice['status'], notice.get('exit_code'), kind)}"


def job_name(notice: dict[str, Any]) -> str:
    if is_delegation(notice):
        return "Sub-agent"
    command = one_line(short_command(notice.get("command") or ""))
    return f"`{command}`" if command else "A job"


def job_note(notice: dict[str, Any]) -> str:
    """Say how long a job took and how the agent was notified. A sub-agent, which has no command, also shows its id."""
    name = short_id(notice.get("task_id") or "") if is_delegation(notice) else ""
    return " · ".join(part for part in (job_time(notice), delivery_words([notice]), name) if part)


def job_time(notice: dict[str, Any]) -> str:
    seconds = notice.get("seconds")
    return "" if seconds is None else f"after {duration(seconds)}"


def group_title(notices: Sequence[dict[str, Any]]) -> str:
    """Return the title for notices that arrived together, as in: 3 jobs reported."""
    sources = {notice.get("source") for notice in notices}
    if sources == {"watch_match"}:
        return f"{len(notices)} watched lines came"
    count = len({notice.get("task_id") for notice in notices})
    if sources == {"delegation_wakeup"}:
        return f"{count} sub-agent{'' if count == 1 else 's'} reported"
    return f"{jobs(count)} reported"


def is_delegation(notice: dict[str, Any]) -> bool:
    return notice.get("source") == "delegation_wakeup" or notice.get("kind") == TaskKind.DELEGATION


def jobs(count: int) -> str:
    return f"{count} job" if count == 1 else f"{count} jobs"


def delivery_words(notices: Sequence[dict[str, Any]]) -> str:
    """Say how the agent was notified of notices that arrived together."""
    notice = max(notices, key=waited_ms)
    match notice.get("delivered"):
        case "opened":
            turn = notice.get("waited_for")
            waited = f"waited {duration(waited_ms(notice) / 1000)}" + (f" for turn {turn}" if turn else "")
            return "woke the agent at once" if waited_ms(notice) < _AT_ONCE_MS else waited
        case "with_message":
            return "reported with your message"
        case "joined":
            return f"reported at step {_reading_step(notice)}"
    return ""


def waited_ms(notice: dict[str, Any]) -> int:
    return notice.get("latency_ms") or 0


def _reading_step(notice: dict[str, Any]) -> int:
    """Return the step that read a notice: the one after the step that it is recorded in."""
    _, step, _ = str(notice["message_id"]).rsplit(".", 2)
    return int(step) + 1
