"""Background work in the words of the person who reads: what it was, how it ended, how the agent heard of it."""

from typing import Any

from wakeful.cli.chat.plain_text import duration, one_line
from wakeful.cli.short_id import short_id
from wakeful.model.end_words import end_label, short_command
from wakeful.model.task import TaskKind

# A wake-up that took less was at once.
_AT_ONCE_MS = 1000


def job_title(notice: dict[str, Any]) -> str:
    """The head of a card: `pytest -q` failed · exit code 1."""
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
    """How long it took, and how the agent heard of it. A command names a job; a sub-agent has only its id."""
    seconds = notice.get("seconds")
    took = "" if seconds is None else f"after {duration(seconds)}"
    name = short_id(notice.get("task_id") or "") if is_delegation(notice) else ""
    return " · ".join(part for part in (took, _delivery(notice), name) if part)


def is_delegation(notice: dict[str, Any]) -> bool:
    return notice.get("source") == "delegation_wakeup" or notice.get("kind") == TaskKind.DELEGATION


def jobs(count: int) -> str:
    return f"{count} job" if count == 1 else f"{count} jobs"


def _delivery(notice: dict[str, Any]) -> str:
    match notice.get("delivered"):
        case "opened":
            waited = notice.get("latency_ms") or 0
            return "woke the agent at once" if waited < _AT_ONCE_MS else f"waited {duration(waited / 1000)}"
        case "with_message":
            return "reported with your message"
        case "joined":
            return f"reported at step {_reading_step(notice)}"
    return ""


def _reading_step(notice: dict[str, Any]) -> int:
    """It was recorded behind the results of one step, and read by the next."""
    _, step, _ = str(notice["message_id"]).rsplit(".", 2)
    return int(step) + 1
