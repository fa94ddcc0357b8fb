"""The footprint of a transaction: the locks it holds, and the changes that its commit will signal."""

from collections.abc import Iterable

from wakeful.model.event import Event
from wakeful.store.base import Signal


class Footprint:
    def __init__(self, locked: Iterable[str] | None) -> None:
        # None: the transaction only reads; the database refuses its writes.
        self._locked = None if locked is None else set(locked)
        # Sessions with new events or new inbox rows.
        self.sessions: set[str] = set()
        self.fenced: dict[str, int] = {}
        self.events: list[Event] = []

    def note_locked(self, session_id: str) -> None:
        if self._locked is not None:
            self._locked.add(session_id)

    def require_lock(self, session_id: str) -> None:
        """Raise if the session is not locked: PostgreSQL locks only the sessions that write() names, so this would be a
        race there.
        """
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
        """The signal to publish after the commit; None if it changed nothing that others follow."""
        if not self.sessions and not self.fenced:
            return None
        return Signal(frozenset(self.sessions), dict(self.fenced), tuple(self.events))
