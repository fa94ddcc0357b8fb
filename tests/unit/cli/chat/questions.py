"""Questions as the server sends them."""

from datetime import UTC, datetime, timedelta
from typing import Any

SESSION = "In this session …"


def a_question(command: str, *dangers: tuple[str, str], **more: Any) -> dict[str, Any]:
    """Dangers are excerpts with their reasons."""
    return {
        "call_id": "c",
        "task_id": None,
        "tool": "terminal",
        "command": command,
        "dangers": [{"kind": "k", "reason": why, "path": None, "excerpt": part} for part, why in dangers],
        "choice_words": {"session": SESSION},
        "preview": "",
        "expires_at": (datetime.now(UTC) + timedelta(seconds=299.5)).isoformat(),
        **more,
    }
