"""Rows of a list of sessions, in the form that clients get."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from wakeful.model.approvals.mode import Mode, mode_of
from wakeful.model.search.search import Hit, Wanted, searched_text
from wakeful.model.search.snippet import snippet_of
from wakeful.model.session import Marks, Session
from wakeful.model.tasks.task_data import time_text
from wakeful.store.base import Transaction
from wakeful.wire.declared import Outgoing, words


class SessionRow(Outgoing):
    session_id: str
    title: str
    model: str
    mode: Annotated[Mode, words("How much its agent may do without asking.")]
    updated_at: str
    message_count: Annotated[int, Meta(ge=0)]
    active_turn_id: str | None
    running_tasks: Annotated[int, Meta(ge=0)]
    pinned: bool
    archived: bool
    unread: Annotated[bool, words("Whether a turn has ended since the caller last saw the session.")]
    needs_you: Annotated[int, Meta(ge=0), words("The number of open questions.")]
    last_status: Annotated[Literal["done", "failed", "cancelled"] | None, words("How the last turn ended.")]
    woken: Annotated[bool, words("Whether background work alone opened the last turn.")]
    key: Annotated[str, words("Which chat or hook it belongs or belonged to, such as `telegram:private:5`; or empty.")]
    platform: Annotated[str, words("Where it was begun: `web`, `terminal`, `telegram`, …")]
    chat_id: str
    thread_id: str
    chat_name: str


class ShownSnippet(Outgoing):
    before: str
    hit: str
    after: str


class FoundRow(SessionRow):
    message_id: Annotated[
        str | UnsetType | None,
        words("In a search: the newest message that matches; null if only the title does."),
    ] = UNSET
    snippet: Annotated[
        ShownSnippet | UnsetType | None,
        words("In a search: the part of that message around the first match, as plain text. `hit` may be empty."),
    ] = UNSET


async def marks_of(tx: Transaction, reader: str, sessions: Sequence[Session]) -> Mapping[str, Marks]:
    return await tx.readers.marks(reader, [session.id for session in sessions], await tx.now())


async def session_rows(tx: Transaction, reader: str, sessions: Sequence[Session], mode: Mode) -> list[FoundRow]:
    """`mode` is that of sessions that have none of their own."""
    marks = await marks_of(tx, reader, sessions)
    return [FoundRow(**row_fields(session, marks[session.id], mode_of(session, mode))) for session in sessions]


async def with_hits(
    tx: Transaction, rows: Sequence[FoundRow], hits: Mapping[str, Hit | None], wanted: Wanted
) -> list[FoundRow]:
    """Return the rows with the message and the snippet that matched."""
    shown = [hit for row in rows if (hit := hits[row.session_id]) is not None]
    entries = {Hit(entry.turn_id, entry.step, entry.index): entry for entry in await tx.journal.at(shown)}
    found = []
    for row in rows:
        hit = hits[row.session_id]
        entry = None if hit is None else entries.get(hit)
        snippet = None if entry is None else ShownSnippet(**asdict(snippet_of(searched_text(entry), wanted)))
        found.append(msgspec.structs.replace(row, message_id=None if entry is None else entry.id, snippet=snippet))
    return found


def row_fields(session: Session, marks: Marks, mode: Mode) -> dict[str, Any]:
    """Return the fields of SessionRow."""
    return {
        "session_id": session.id,
        "title": session.title,
        "model": session.model,
        "mode": mode,
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
        "key": session.chat_key,
        "platform": session.address.platform,
        "chat_id": session.address.chat_id,
        "thread_id": session.address.thread_id,
        "chat_name": session.chat_name,
    }
