"""Rows of sessions."""

from collections.abc import Callable
from contextlib import suppress

from wakeful.model.session import Address, Marks, Session, TitleOrigin, WakeReason
from wakeful.store.rows.row import Row, Values, values_getter

SESSION_COLUMNS = (
    "id",
    "owner",
    "platform",
    "chat_id",
    "thread_id",
    "model",
    "workspace",
    "chat_key",
    "chat_name",
    "mode",
    "title",
    "task_id",
    "is_listed",
    "head",
    "checkpoint",
    "active",
    "last_seq",
    "message_count",
    "title_origin",
    "todo",
    "created_at",
    "updated_at",
)
session_values: Callable[[Session], Values] = values_getter(SESSION_COLUMNS)


def session_from(row: Row) -> Session:
    return Session(
        id=row["id"],
        owner=row["owner"],
        address=Address(row["platform"], row["chat_id"], row["thread_id"]),
        model=row["model"],
        workspace=row["workspace"],
        chat_key=row["chat_key"],
        chat_name=row["chat_name"],
        mode=row["mode"],
        title=row["title"],
        task_id=row["task_id"],
        is_listed=bool(row["is_listed"]),
        head=row["head"],
        checkpoint=row["checkpoint"],
        active=row["active"],
        last_seq=row["last_seq"],
        is_held=bool(row["is_held"]),
        is_blocked=bool(row["is_blocked"]),
        wake_at=row["wake_at"],
        wake_reason=WakeReason(row["wake_reason"]),
        message_count=row["message_count"],
        is_pinned=bool(row["is_pinned"]),
        is_archived=bool(row["is_archived"]),
        purge_at=row["purge_at"],
        closed_seq=row["closed_seq"],
        title_origin=_title_origin(row["title_origin"]),
        title_tries=row["title_tries"],
        input_tokens=row["input_tokens"],
        output_tokens=row["output_tokens"],
        context_tokens=row["context_tokens"],
        cost_usd=row["cost_usd"],
        unpriced_tokens=row["unpriced_tokens"],
        todo=row["todo"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )


def marks_from(row: Row) -> Marks:
    return Marks(
        running_tasks=row["running_tasks"],
        open_approvals=row["open_approvals"],
        is_unread=bool(row["is_unread"]),
        last_status=row["last_status"],
        is_woken=bool(row["is_woken"]),
    )


def _title_origin(stored: str) -> TitleOrigin:
    with suppress(ValueError):
        return TitleOrigin(stored)
    return TitleOrigin.USER  # The safe one: no model replaces a user's title.
