"""What one transaction may write and what it has written: the locks it holds, and what its commit will tell."""

from collections.abc import Iterable

from wakeful.model.event import Event
from wakeful.store.base import Signal


class Footprint:
    def __init__(self, locked: Iterable[str] | None) -> None:
        # None: the transaction only reads, and the database itself refuses its writes.
        self._locked = None if locked is None else set(locked)
        # Sessions with new events or new inbox rows.
        self.sessions: set[str] = set()
        self.fenced: dict[str, int] = {}
        self.events: list[Event] = []

    def note_locked(self, session_id: str) -> None:
        if self._locked is not None:
            self._locked.add(session_id)

    def require_lock(self, session_id: str) -> None:
        """One of the stores locks only what it is told to: a write without its lock is a race there."""
        if self._locked is not None and session_id not in self._locked:
            raise RuntimeError(f"session {session_id} is written without its lock: name it in write(lock=…)")

    def note_appended(self, events: Iterable[Event]) -> None:
        for event in events:
            self.events.append(event)
            self.sessions.add(event.session_id)

    def absorb(self, other: "Footprint") -> None:
        self.sessions |= other.sessions
        self.fenced |= other.fenced
        self.events += other.events

    @property
    def signal(self) -> Signal | None:
        """What to tell after the commit; None when there is nothing to look at."""
        if not self.sessions and not self.fenced:
            return None
        return Signal(frozenset(self.sessions), dict(self.fenced), tuple(self.events))
