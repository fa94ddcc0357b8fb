"""A grant: a person's permission for more than one call. It covers one kind of reasons to ask."""

import os
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from wakeful.model.approvals.reason_kinds import describe_kind
from wakeful.model.tasks.task_data import time_text


class Scope(StrEnum):
    # The session and its delegations.
    SESSION = "session"
    # All sessions of the owner whose workspace is the folder or below.
    FOLDER = "folder"


@dataclass(frozen=True, slots=True)
class Grant:
    id: str
    owner: str
    kind: str
    # One of the two is empty.
    session_id: str = ""
    folder: str = ""
    # Of a folder: the chat that it was given in and holds in; empty: everywhere.
    chat_key: str = ""
    created_at: float = 0.0
    # None: it ends with its session.
    expires_at: float | None = None
    last_used_at: float | None = None
    # How many calls it has allowed.
    uses: int = 0
    # The command that it was given for.
    example: str = ""

    @property
    def scope(self) -> Scope:
        return Scope.SESSION if self.session_id else Scope.FOLDER


def grant_data(grant: Grant) -> dict[str, Any]:
    """Return a grant as clients get it."""
    return {
        "id": grant.id,
        "owner": grant.owner,
        "kind": grant.kind,
        "words": describe_kind(grant.kind),
        "scope": grant.scope,
        "session_id": grant.session_id or None,
        "folder": grant.folder or None,
        "key": grant.chat_key,
        "created_at": time_text(grant.created_at),
        "expires_at": _time_or_none(grant.expires_at),
        "last_used_at": _time_or_none(grant.last_used_at),
        "uses": grant.uses,
        "example": grant.example,
    }


def short_folder(folder: str) -> str:
    """Return the path with a tilde for the user's home."""
    home = os.path.expanduser("~")
    return "~" + folder.removeprefix(home) if folder == home or folder.startswith(home + os.sep) else folder


def _time_or_none(seconds: float | None) -> str | None:
    return None if seconds is None else time_text(seconds)
