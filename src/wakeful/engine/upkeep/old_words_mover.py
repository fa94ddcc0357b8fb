"""Moves the words of older versions, which are events, to where words are kept now, and takes long texts out of events
that can quote the journal: turn by turn, in the background, and only once in the life of a database.
"""

import asyncio
import logging
from collections.abc import Sequence

from wakeful.engine.job import Job
from wakeful.engine.ports import Clock
from wakeful.errors import StoreError
from wakeful.model.event import Event
from wakeful.model.older.texts import quotes_of
from wakeful.model.older.words import LookedAt, Move, moves_of
from wakeful.store.base import Body, Store, Transaction

# Turns that are looked at together.
_TURNS = 100
_EVENTS = 1000
# Others want the disk, too: between two turns it rests for so long.
_REST_SECONDS = 0.02
# A turn that was running is looked at again.
_PATIENCE_SECONDS = 60.0
# The position of a database that has been gone through to its end: nothing writes such events any more.
_ALL = "all"

logger = logging.getLogger(__name__)


class OldWordsMover:
    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._never = asyncio.Event()
        self.job = Job("old words", self.sweep, clock)

    async def sweep(self) -> float | None:
        """Go through the turns from where the last sweep stopped. None when there is no turn to come back for."""
        stored = reached = position = await self._store.read(lambda tx: tx.old_words.position())
        is_whole = True
        while position != _ALL and (turns := await self._look(position)):
            for turn in turns:
                is_whole = await self._pass(turn) and is_whole
                position = turn.turn_id
                reached = position if is_whole else reached
            stored = await self._reach(reached, stored)
        if is_whole:
            await self._reach(_ALL, stored)
        return None if is_whole else _PATIENCE_SECONDS

    async def _reach(self, position: str, stored: str) -> str:
        if position != stored:
            await self._store.write(lambda tx: tx.old_words.reach(position))
        return position

    async def _look(self, position: str) -> list[LookedAt]:
        return await self._store.read(lambda tx: tx.old_words.turns_after(position, _TURNS))

    async def _pass(self, turn: LookedAt) -> bool:
        """Whether nothing is left to do in this turn."""
        if not turn.is_old:
            return True
        if not turn.is_closed:
            return False
        try:
            await self._move_all(turn)
        except StoreError:
            raise
        except Exception:  # The boundary of one turn: its words stay readable where they are, and others wait.
            logger.exception("the log of turn %s stays as an older version wrote it", turn.turn_id)
        await self._clock.wait(self._never, _REST_SECONDS)
        return True

    async def _move_all(self, turn: LookedAt) -> None:
        """Read in pages and worked out beside the event loop: there may be very many. Then written in one piece."""
        log: list[Event] = []
        while page := await self._store.read(_page(turn, log)):
            log += page
        journal = await self._store.read(lambda tx: tx.journal.of_turns([turn.turn_id]))
        moves = await asyncio.to_thread(moves_of, log, journal)
        quotes = await asyncio.to_thread(quotes_of, log, journal)
        await self._store.write(lambda tx: _move(tx, turn, moves, quotes), lock=[turn.session_id])


def _page(turn: LookedAt, log: Sequence[Event]) -> Body[list[Event]]:
    """What follows what is known of the turn's log."""
    after = (log[-1].turn_seq or 0) if log else 0
    return lambda tx: tx.events.of_turn(turn.turn_id, after, _EVENTS)


async def _move(tx: Transaction, turn: LookedAt, moves: Sequence[Move], quotes: Sequence[Event]) -> None:
    session = await tx.sessions.get(turn.session_id)
    if session is None or session.is_deleted:
        return  # It is not worth it: all of it will be purged.
    for quote in quotes:
        await tx.old_words.take_text(quote)
    for move in moves:
        first, _ = move.numbers
        found = await tx.events.of_turn(turn.turn_id, first - 1, 1)
        if not found or found[0].turn_seq != first:
            return  # Another node has done it.
        if move.entry is not None and move.cuts_answer:
            await tx.journal.add([move.entry])
        await tx.old_words.move(move)
