"""Sessions as rows of a list."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from wakeful.model.marks import Marks
from wakeful.model.search import Hit, Wanted, searched_text
from wakeful.model.session import Session
from wakeful.model.snippet import snippet_of
from wakeful.model.task_data import time_text
from wakeful.store.base import Transaction


async def session_rows(tx: Transaction, reader: str, sessions: Sequence[Session]) -> list[dict[str, Any]]:
    marks = await tx.readers.marks(reader, [session.id for session in sessions], await tx.now())
    return [session_row(session, marks[session.id]) for session in sessions]


async def add_hits(
    tx: Transaction, rows: Sequence[dict[str, Any]], hits: Mapping[str, Hit | None], wanted: Wanted
) -> None:
    """Where each of them was found."""
    shown = [hit for row in rows if (hit := hits[row["session_id"]]) is not None]
    entries = {Hit(entry.turn_id, entry.step, entry.index): entry for entry in await tx.journal.at(shown)}
    for row in rows:
        hit = hits[row["session_id"]]
        entry = None if hit is None else entries.get(hit)
        row["message_id"] = None if entry is None else entry.id
        row["snippet"] = None if entry is None else asdict(snippet_of(searched_text(entry), wanted))


def session_row(session: Session, marks: Marks) -> dict[str, Any]:
    return {
        "session_id": session.id,
        "title": session.title,
        "model": session.model,
        "updated_at": time_text(session.updated_at),
        "message_count": session.message_count,
        "active_turn_id": session.active,
        "running_tasks": marks.running_tasks,
        "pinned": session.is_pinned,
        "archived": session.is_archived,
        "unread": marks.is_unread,
        "needs_you": marks.open_approvals,
        "last_status": marks.last_status,
        "woken": marks.is_woken,
    }
