"""Searches the messages of an owner's sessions, for the agent of one of them."""

from collections.abc import Mapping, Sequence

from wakeful.engine.inbox.dispatcher import require_session
from wakeful.model.journal.entry import Entry, EntryKind
from wakeful.model.search.search import FoundMessage, Hit, Wanted, searched_text, wanted_in
from wakeful.model.search.snippet import snippet_of
from wakeful.model.session import Session
from wakeful.model.turn import Turn
from wakeful.store.base import Store, Transaction

# How many sessions are read before those of other chats are left out.
_MOST_FOUND = 1_000


class SessionSearch:
    def __init__(self, store: Store) -> None:
        self._store = store

    async def find(self, turn: Turn, query: str, limit: int) -> Sequence[FoundMessage]:
        """Return the newest hit of each session that the agent of this turn may read, the newest first. In a chat of a
        messenger these are the sessions of that chat, elsewhere all of the owner.
        """
        # A word at the end is whole here: a model does not type.
        wanted = wanted_in(f"{query} ")

        async def body(tx: Transaction) -> list[FoundMessage]:
            asking = await require_session(tx, turn.session_id)
            hits: dict[str, Hit | None] = {}
            for archived in (False, True):
                hits |= await tx.search.find(asking.owner, wanted, _MOST_FOUND, archived=archived)
            sessions = [session for id in hits if (session := await _readable(tx, id, asking)) is not None]
            entries = await _entries(tx, {session.id: hits[session.id] for session in sessions})
            found = [_found(session, entries.get(session.id), wanted) for session in sessions]
            return sorted(found, key=lambda one: one.created_at, reverse=True)[:limit]

        return await self._store.search(body)


async def _readable(tx: Transaction, session_id: str, asking: Session) -> Session | None:
    """Return a session of the same owner, unless it was deleted or is of another chat."""
    session = await tx.sessions.get(session_id)
    if session is None or session.purge_at is not None:
        return None
    return None if asking.chat_key and session.chat_key != asking.chat_key else session


async def _entries(tx: Transaction, hits: Mapping[str, Hit | None]) -> dict[str, Entry]:
    """Return the entries that were found, by session."""
    wanted = [hit for hit in hits.values() if hit is not None]
    entries = {Hit(entry.turn_id, entry.step, entry.index): entry for entry in await tx.journal.at(wanted)}
    return {id: entries[hit] for id, hit in hits.items() if hit is not None and hit in entries}


def _found(session: Session, entry: Entry | None, wanted: Wanted) -> FoundMessage:
    """Without an entry, the words are in the session's title."""
    snippet = snippet_of(session.title if entry is None else searched_text(entry), wanted)
    return FoundMessage(
        session_id=session.id,
        title=session.title,
        message_id=None if entry is None else entry.id,
        source="title" if entry is None else _source_of(entry),
        created_at=session.updated_at if entry is None else entry.at,
        excerpt=f"{snippet.before}{snippet.hit}{snippet.after}".strip(),
    )


def _source_of(entry: Entry) -> str:
    return str(entry.data["source"]) if entry.kind is EntryKind.INPUT else "assistant"
