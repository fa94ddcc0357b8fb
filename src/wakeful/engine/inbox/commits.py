"""Writes that may open a turn for this node, and what they opened, handed on after the commit."""

import asyncio
from collections.abc import Callable, Collection, Coroutine, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

from wakeful.engine.inbox.assignment import Assignment
from wakeful.engine.words.words import LiveWords
from wakeful.errors import SessionLocked, StoreError
from wakeful.model.opening import Opened, Opening
from wakeful.model.turn import Turn
from wakeful.store.base import Signal, Store, Transaction
from wakeful.under_way import UnderWay

T = TypeVar("T")
# A write that may give this node a turn to run: its result, and the turn.
OpeningBody = Callable[[Transaction], Coroutine[Any, Any, tuple[T, Assignment | None]]]


class Commits:
    """The parts that write do not know the runners; these listen here."""

    def __init__(self, store: Store, words: LiveWords) -> None:
        self._store = store
        self._words = words
        # The seals of writes of which it is not known whether they have happened.
        self._in_doubt: list[ExitStack] = []
        self._listeners: list[Callable[[Assignment], None]] = []
        # Each with the sessions that it locks.
        self._under_way = UnderWay()
        # Turns that were fenced while a commit was under way that may still open them.
        self._early_fences: dict[str, int] = {}
        # What this node holds and what it runs may differ: the rescuer should compare.
        self.trouble = asyncio.Event()
        store.notifier.listen(self._hear)

    def listen(self, launch: Callable[[Assignment], None]) -> None:
        """Call `launch` with each turn that a commit gave to this node."""
        self._listeners.append(launch)

    async def commit(
        self,
        body: OpeningBody[T],
        *,
        lock: Collection[str],
        seals: Collection[str] = (),
        patience: float | None = None,
    ) -> T:
        """Write, then hand on the turn that the write opened, even when the caller has gone away meanwhile. `seals`:
        the sessions whose turn the write may close; until it is known whether it has, no words of them are shown.
        """
        return await self._to_its_end(self._commit(body, lock, seals, patience), lock)

    async def open_new(self, opening: Opening, hear: Callable[[Opened | None], None]) -> Opened:
        """Open the first turn of a new session. `hear` gets what was opened, even when the caller has gone away
        meanwhile; None when that was nothing, or was stopped in the same breath. Raises NameTaken.
        """
        return await self._to_its_end(self._open_new(opening, hear), [opening.turn.session_id])

    def sessions(self) -> set[str]:
        """Those in which a turn may be about to open."""
        return set().union(*self._under_way.jobs.values())

    def all(self) -> set[asyncio.Task[Any]]:
        return set(self._under_way.jobs)

    @contextmanager
    def comparing(self) -> Iterator[None]:
        """While the store is compared with what runs here. After that the outcome of every write before is known."""
        doubts, self._in_doubt = self._in_doubt, []
        try:
            yield
        except BaseException:
            self._in_doubt += doubts
            raise
        for doubt in doubts:
            doubt.close()

    async def _to_its_end(self, work: Coroutine[Any, Any, T], lock: Collection[str]) -> T:
        if not self._under_way.jobs:
            self._early_fences.clear()
        return await self._under_way.to_its_end(work, lock)

    async def _open_new(self, opening: Opening, hear: Callable[[Opened | None], None]) -> Opened:
        opened = None
        try:
            opened = await self._store.open_new(opening)
        except StoreError:
            # It may have happened all the same, and have given us a turn that we do not know of.
            self.trouble.set()
            raise
        finally:
            hear(None if opened is None or self._is_fenced(opened.turn) else opened)
        return opened

    async def _commit(
        self, body: OpeningBody[T], lock: Collection[str], seals: Collection[str], patience: float | None
    ) -> T:
        with ExitStack() as sealed:
            sealed.enter_context(self._words.sealed(seals))
            try:
                result, assignment = await self._store.write(body, lock=lock, patience=patience)
            except SessionLocked:
                raise  # Nothing has happened.
            except StoreError:
                # The commit may have happened all the same: it may have given us a turn that we do not know of, or
                # have closed one.
                self._in_doubt.append(sealed.pop_all())
                self.trouble.set()
                raise
        if assignment is not None and not self._is_fenced(assignment.turn):
            for launch in self._listeners:
                launch(assignment)
        return result

    def _is_fenced(self, turn: Turn) -> bool:
        """Whether it was stopped in the same breath."""
        return turn.epoch < self._early_fences.get(turn.id, 0)

    def _hear(self, signal: Signal) -> None:
        if self._under_way.jobs:
            for turn_id, epoch in signal.fenced.items():
                self._early_fences[turn_id] = max(epoch, self._early_fences.get(turn_id, 0))
        if signal.is_everything:
            self.trouble.set()
