"""An approval as clients get it, with texts that say what a longer grant would allow."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from wakeful.model.approvals.approval import Approval, Choice
from wakeful.model.approvals.grant import short_folder
from wakeful.model.approvals.reason_kinds import describe_kind
from wakeful.model.tasks.task_data import time_text

# Questions of older versions name no tool: only commands were asked about.
_COMMAND_TOOLS = frozenset({"", "terminal", "process"})


def approval_data(approval: Approval, shown_in: str) -> dict[str, Any]:
    """Return the approval as session `shown_in` shows it. Call ids are unique per session only, so in a session above
    the id of the delegation comes before the call's.
    """
    is_own = approval.session_id == shown_in
    return {
        "session_id": shown_in,
        "call_id": approval.call_id if is_own else f"{approval.task_id}:{approval.call_id}",
        "task_id": approval.task_id,
        "tool": approval.tool,
        "command": approval.command,
        "danger": approval.reasons[0].kind,
        "reason": "; ".join(found.reason for found in approval.reasons),
        "dangers": [
            {"kind": found.kind, "reason": found.reason, "path": found.path, "excerpt": found.excerpt}
            for found in approval.reasons
        ],
        "choices": [choice.value for choice in approval.choices],
        "choice_words": _choice_words(approval),
        "preview": approval.preview,
        "expires_at": time_text(approval.expires_at),
    }


def _choice_words(approval: Approval) -> dict[str, str]:
    """Return the texts that explain the lasting choices, by choice."""
    kinds = _listed(dict.fromkeys(describe_kind(found.kind) for found in approval.reasons))
    what = "commands" if approval.tool in _COMMAND_TOOLS else "calls"
    words = {
        Choice.SESSION: f"In this session and its sub-agents, {what} that {kinds} run without asking, "
        "as long as this session exists.",
        Choice.FOLDER: f"The same kinds, in all your sessions in {short_folder(approval.folder)} and below, "
        f"until {_date(approval.granted_until)}. You can revoke each one in Settings or with wakeful grants.",
    }
    return {choice.value: words[choice] for choice in approval.choices if choice in words}


def _listed(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


def _date(seconds: float) -> str:
    day = datetime.fromtimestamp(seconds, UTC)
    return f"{day.day} {day:%B %Y}"
