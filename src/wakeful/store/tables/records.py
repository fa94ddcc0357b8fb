"""The records of turns: the journal, the event log, and the news among its events."""

from collections.abc import Collection, Iterable, Sequence
from typing import Protocol

from wakeful.model.event import Event, NewEvent, News
from wakeful.model.journal.entry import Chain, Entry
from wakeful.model.older.words import LookedAt, Move
from wakeful.model.search.search import Hit
from wakeful.model.words import Word, WordsHead


class Journal(Protocol):
    async def add(self, entries: Iterable[Entry]) -> None: ...

    async def replace(self, entry: Entry) -> None:
        """Overwrite the payload of the entry with the same turn, step and index."""
        ...

    async def of_turns(self, turn_ids: Sequence[str]) -> list[Entry]:
        """Return the entries of these turns: each turn's in order, the turns in any order."""
        ...

    async def at(self, hits: Sequence[Hit]) -> list[Entry]:
        """Return the entries of these hits, in any order."""
        ...

    async def inputs_of(self, turn_ids: Sequence[str]) -> list[Entry]:
        """Return the inputs among the entries of these turns."""
        ...

    async def summaries_of(self, turn_ids: Sequence[str]) -> list[Entry]:
        """Return the summaries among the entries of these turns, those of each turn in order."""
        ...

    async def of_step(self, turn_id: str, step: int) -> list[Entry]:
        """Return the entries of one step, in order."""
        ...

    async def words(self, head: WordsHead, after: int, limit: int) -> list[Word]:
        """Return the pieces of an answer, recorded or cut off, after the first `after`, at most `limit`."""
        ...

    async def last_answers(self, turn_ids: Sequence[str]) -> dict[str, Entry]:
        """Return the newest answer of each of these turns, by turn; turns without one are left out."""
        ...

    async def paid(self, session_id: str, after: tuple[str, int], limit: int) -> list[Entry]:
        """Return the answers and summaries of a session after the one of this turn and step, ordered by both."""
        ...

    async def of_chain(self, turn_id: str) -> list[Entry]:
        """Return the entries of the turn and of all its ancestors, oldest first."""
        ...

    async def of_chain_after(self, turn_id: str, known: Collection[str], limit: int) -> Chain:
        """Return the same from the newest ancestor that is `known`, or from where the turn's context begins, on.
        Without a summary in the context, these are the entries of only the first `limit` turns.
        """
        ...

    async def count_chain(self, turn_id: str) -> int:
        """Return how many entries of_chain would return."""
        ...


class Events(Protocol):
    async def append(self, session_id: str, turn_id: str | None, events: Sequence[NewEvent]) -> list[Event]:
        """Add events to the log of a session, and to that of one of its turns. Events of a turn that never opened are
        numbered from 1.
        """
        ...

    async def of_turn(self, turn_id: str, after: int, limit: int) -> list[Event]:
        """Return events in order, each with the texts that it quotes from the journal."""
        ...

    async def of_session(self, session_id: str, after: int, limit: int) -> list[Event]: ...


class NewsLog(Protocol):
    """Events that their owner is notified of, numbered per owner in the order of commits."""

    async def add(self, owner: str, event: Event) -> None:
        """Give an appended event the next number among the owner's news. This blocks other writers of the owner's news
        until the commit, so call it late and lock no session after it.
        """
        ...

    async def last(self, owner: str) -> int:
        """Return the newest number; 0 if there is none."""
        ...

    async def after(self, owner: str, number: int, limit: int) -> list[News]:
        """Return news after this number, oldest first, without those of deleted sessions."""
        ...

    async def unread(self, owner: str, limit: int) -> list[News]:
        """Return news, newest first, of events that the owner has not seen in their sessions."""
        ...

    async def drop_old(self, before: float, limit: int) -> int:
        """Remove at most `limit` news from before this time, and return how many were removed. Their events stay."""
        ...


class OldWords(Protocol):
    """Words that an older version stored as events (model/older/words.py), and texts that it stored in events as well
    as in the journal (model/older/texts.py).
    """

    async def position(self) -> str:
        """Return how far the job that moves them has come; empty: it has not begun."""
        ...

    async def reach(self, position: str) -> None: ...

    async def turns_after(self, turn_id: str, limit: int) -> list[LookedAt]:
        """Return turns in the order of their ids."""
        ...

    async def move(self, words: Move) -> None:
        """Write the words to the event that ended them and their cuts to the entry, and remove their own events."""
        ...

    async def take_text(self, event: Event) -> None:
        """Overwrite an event that now quotes the journal."""
        ...
