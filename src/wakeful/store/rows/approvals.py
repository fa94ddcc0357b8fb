"""Rows of approvals and grants."""

from contextlib import suppress
from dataclasses import asdict, fields
from typing import Any

import orjson

from wakeful.model.approvals.approval import EXPIRED, Approval, Choice, Reason
from wakeful.model.approvals.grant import Grant
from wakeful.model.packed_json import pack
from wakeful.store.rows.row import Row, Values, values_getter

_REASON_FIELDS = frozenset(field.name for field in fields(Reason))
_OF_APPROVAL = (
    "session_id",
    "turn_id",
    "step",
    "idx",
    "call_id",
    "tool",
    "folder",
    "granted_until",
    "chat_key",
    "expires_at",
    "task_id",
    "created_at",
)
APPROVAL_COLUMNS = (*_OF_APPROVAL, "command", "preview", "dangers")
_OF_GRANT = ("id", "owner", "kind", "session_id", "folder", "chat_key", "created_at", "expires_at")
GRANT_COLUMNS = (*_OF_GRANT, "example")
_approval_values, _grant_values = values_getter(_OF_APPROVAL), values_getter(_OF_GRANT)


def approval_values(approval: Approval) -> Values:
    reasons = pack([asdict(found) for found in approval.reasons])
    return *_approval_values(approval), approval.command.encode(), approval.preview.encode(), reasons


def grant_values(grant: Grant) -> Values:
    return *_grant_values(grant), grant.example.encode()


def approval_from(row: Row) -> Approval:
    choice = row["choice"]
    return Approval(
        session_id=row["session_id"],
        turn_id=row["turn_id"],
        step=row["step"],
        index=row["idx"],
        call_id=row["call_id"],
        tool=row["tool"],
        command=row["command"].decode(),
        reasons=_reasons(row["dangers"]),
        expires_at=row["expires_at"],
        preview=row["preview"].decode(),
        folder=row["folder"],
        granted_until=row["granted_until"],
        chat_key=row["chat_key"],
        task_id=row["task_id"],
        choice=None if choice in (None, EXPIRED) else _choice(choice),
        created_at=row["created_at"],
    )


def grant_from(row: Row) -> Grant:
    return Grant(
        id=row["id"],
        owner=row["owner"],
        kind=row["kind"],
        session_id=row["session_id"],
        folder=row["folder"],
        chat_key=row["chat_key"],
        created_at=row["created_at"],
        expires_at=row["expires_at"],
        last_used_at=row["last_used_at"],
        uses=row["uses"],
        example=row["example"].decode(),
    )


def _choice(stored: str) -> Choice:
    with suppress(ValueError):
        return Choice(stored)
    return Choice.DENY  # A choice that this version does not know must allow nothing.


def _reasons(stored: bytes) -> tuple[Reason, ...]:
    found: list[dict[str, Any]] = orjson.loads(stored)
    known = [{name: value for name, value in one.items() if name in _REASON_FIELDS} for one in found]
    return tuple(Reason(**one) for one in known)
