"""Runs writes that may open a turn for this node, and launches the turn after the commit."""

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
# A write that may give this node a turn to run. Returns its result and the turn.
OpeningBody = Callable[[Transaction], Coroutine[Any, Any, tuple[T, Assignment | None]]]


class Commits:
    """Connects the parts that write with the runners, which listen here: neither knows the other."""

    def __init__(self, store: Store, words: LiveWords) -> None:
        self._store = store
        self._words = words
        # The seals of writes that failed and may have been committed all the same.
        self._in_doubt: list[ExitStack] = []
        self._listeners: list[Callable[[Assignment], None]] = []
        # Each write with the sessions that it locks.
        self._under_way = UnderWay()
        # Turns that were fenced while a write that may open them was still under way, by their new epoch.
        self._early_fences: dict[str, int] = {}
        # Set when the store and the runners may disagree about this node's turns; wakes the rescuer.
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
        """Write, then launch the turn that the write opened, even if the caller is cancelled meanwhile. `seals` names
        the sessions whose turn the write may close; no words of them are shown until its outcome is known.
        """
        return await self._to_its_end(self._commit(body, lock, seals, patience), lock)

    async def open_new(self, opening: Opening, hear: Callable[[Opened | None], None]) -> Opened:
        """Open the first turn of a new session. Calls `hear` with what was opened, even if the caller is cancelled
        meanwhile, or with None if the write failed or the turn was fenced before it returned. Raises NameTaken.
        """
        return await self._to_its_end(self._open_new(opening, hear), [opening.turn.session_id])

    def sessions(self) -> set[str]:
        """Return the sessions in which a turn may be about to open."""
        return set().union(*self._under_way.jobs.values())

    def all(self) -> set[asyncio.Task[Any]]:
        return set(self._under_way.jobs)

    @contextmanager
    def comparing(self) -> Iterator[None]:
        """Enclose a comparison of the store with the runners. It settles the outcome of all earlier writes, so their
        seals are lifted afterwards.
        """
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
            # The write may have been committed all the same, and given this node a turn that no runner has.
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
                raise  # Nothing was written.
            except StoreError:
                # The write may have been committed all the same, and have opened or closed a turn.
                self._in_doubt.append(sealed.pop_all())
                self.trouble.set()
                raise
        if assignment is not None and not self._is_fenced(assignment.turn):
            for launch in self._listeners:
                launch(assignment)
        return result

    def _is_fenced(self, turn: Turn) -> bool:
        """Return whether the turn was stopped or taken over before its opening write returned."""
        return turn.epoch < self._early_fences.get(turn.id, 0)

    def _hear(self, signal: Signal) -> None:
        if self._under_way.jobs:
            for turn_id, epoch in signal.fenced.items():
                self._early_fences[turn_id] = max(epoch, self._early_fences.get(turn_id, 0))
        if signal.is_everything:
            self.trouble.set()
