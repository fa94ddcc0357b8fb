"""What is written of turns: the journal, the event log, and the news in it."""

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
        """Write its payload over that of the entry at the same place."""
        ...

    async def of_turns(self, turn_ids: Sequence[str]) -> list[Entry]:
        """The entries of these turns, each turn's in their order, the turns in any."""
        ...

    async def at(self, hits: Sequence[Hit]) -> list[Entry]:
        """The entries at these places, in any order."""
        ...

    async def inputs_of(self, turn_ids: Sequence[str]) -> list[Entry]:
        """Of the entries of these turns those that came from outside."""
        ...

    async def of_step(self, turn_id: str, step: int) -> list[Entry]:
        """The entries of one step, in their order."""
        ...

    async def words(self, head: WordsHead, after: int, limit: int) -> list[Word]:
        """The pieces of a recorded answer, or of one that was cut off, after the first `after`, at most so many."""
        ...

    async def last_answers(self, turn_ids: Sequence[str]) -> dict[str, Entry]:
        """The newest answer of each of these turns, by turn; those without one are left out."""
        ...

    async def of_chain(self, turn_id: str) -> list[Entry]:
        """The entries of the turn and of all its ancestors, oldest first."""
        ...

    async def of_chain_after(self, turn_id: str, known: Collection[str], limit: int) -> Chain:
        """The same, of the first `limit` turns after the newest ancestor that is `known`."""
        ...

    async def count_chain(self, turn_id: str) -> int:
        """How many those are."""
        ...


class Events(Protocol):
    async def append(self, session_id: str, turn_id: str | None, events: Sequence[NewEvent]) -> list[Event]:
        """Add to the log of a session, and of one of its turns. A turn that never opened is numbered from 1."""
        ...

    async def of_turn(self, turn_id: str, after: int, limit: int) -> list[Event]:
        """In order, each with what it quotes of the journal."""
        ...

    async def of_session(self, session_id: str, after: int, limit: int) -> list[Event]: ...


class NewsLog(Protocol):
    """Events that their owner wants to hear of in any session, numbered for each owner in the order of commits."""

    async def add(self, owner: str, event: Event) -> None:
        """Give an appended event the next number among the owner's news. It keeps others of that owner from adding
        until the commit: call it late, and lock no session after it.
        """
        ...

    async def last(self, owner: str) -> int:
        """The newest number that was given out; 0: none was."""
        ...

    async def after(self, owner: str, number: int, limit: int) -> list[News]:
        """Oldest first. Those of deleted sessions are left out."""
        ...

    async def unread(self, owner: str, limit: int) -> list[News]:
        """Newest first: what lies beyond what the owner has seen of its session."""
        ...

    async def drop_old(self, before: float, limit: int) -> int:
        """Forget news from before this moment, at most so many, and say how many. The events stay."""
        ...


class OldWords(Protocol):
    """Words that an older version has written as events (model/older/words.py), and texts of events that stand in the
    journal, too (model/older/texts.py).
    """

    async def position(self) -> str:
        """How far the job has come that moves them; empty: it has not begun."""
        ...

    async def reach(self, position: str) -> None: ...

    async def turns_after(self, turn_id: str, limit: int) -> list[LookedAt]:
        """In the order of their ids."""
        ...

    async def move(self, words: Move) -> None:
        """Let the fact have them, and the entry their cuts, and take their events out of the log."""
        ...

    async def take_text(self, event: Event) -> None:
        """Write over an event that quotes the journal from now on."""
        ...
