"""Moves words that older versions wrote as events to where words are kept now, and removes texts from events that can
quote the journal instead. It goes through each database once, turn by turn, in the background.
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

# Turns and events per read.
_TURNS = 100
_EVENTS = 1000
# The pause after each turn, which leaves the disk to others.
_REST_SECONDS = 0.02
# When to look again at turns that were still running.
_PATIENCE_SECONDS = 60.0
# The stored position when all turns are done: no version writes such events any more.
_ALL = "all"

logger = logging.getLogger(__name__)


class OldWordsMover:
    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._never = asyncio.Event()
        self.job = Job("old words", self.sweep, clock)

    async def sweep(self) -> float | None:
        """Go through the turns from where the last sweep stopped. Returns None when none is left to look at again."""
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
        """Move the words of a turn and return True; False if it has to wait because it still runs."""
        if not turn.is_old:
            return True
        if not turn.is_closed:
            return False
        try:
            await self._move_all(turn)
        except StoreError:
            raise
        except Exception:  # One turn's boundary: its old words stay readable where they are, and the other turns go on.
            logger.exception("the log of turn %s stays as an older version wrote it", turn.turn_id)
        await self._clock.wait(self._never, _REST_SECONDS)
        return True

    async def _move_all(self, turn: LookedAt) -> None:
        """Read the log in pages, compute the moves in a thread, because a log may be long, and write them at once."""
        log: list[Event] = []
        while page := await self._store.read(_page(turn, log)):
            log += page
        journal = await self._store.read(lambda tx: tx.journal.of_turns([turn.turn_id]))
        moves = await asyncio.to_thread(moves_of, log, journal)
        quotes = await asyncio.to_thread(quotes_of, log, journal)
        await self._store.write(lambda tx: _move(tx, turn, moves, quotes), lock=[turn.session_id])


def _page(turn: LookedAt, log: Sequence[Event]) -> Body[list[Event]]:
    """Read the next page of the turn's log, after the events in `log`."""
    after = (log[-1].turn_seq or 0) if log else 0
    return lambda tx: tx.events.of_turn(turn.turn_id, after, _EVENTS)


async def _move(tx: Transaction, turn: LookedAt, moves: Sequence[Move], quotes: Sequence[Event]) -> None:
    session = await tx.sessions.get(turn.session_id)
    if session is None or session.is_deleted:
        return  # The session will be purged.
    for quote in quotes:
        await tx.old_words.take_text(quote)
    for move in moves:
        first, _ = move.numbers
        found = await tx.events.of_turn(turn.turn_id, first - 1, 1)
        if not found or found[0].turn_seq != first:
            return  # Another node has moved them.
        if move.entry is not None and move.cuts_answer:
            await tx.journal.add([move.entry])
        await tx.old_words.move(move)
