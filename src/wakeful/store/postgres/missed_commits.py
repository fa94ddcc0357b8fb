"""What a lost notification would have said: a node that dies between its commit and its notification takes the latter
with it, and a turn that has closed is not taken over. So a node asks for the newest numbers of what it follows.
"""

from collections.abc import Callable, Iterable, Mapping

from wakeful.store.base import Signal
from wakeful.store.postgres.connection import PostgresConnection


class MissedCommits:
    def __init__(self) -> None:
        self._sources: list[Callable[[], Iterable[str]]] = []
        # The newest number of a session that this node has heard of.
        self._known: dict[str, int] = {}

    def add(self, source: Callable[[], Iterable[str]]) -> None:
        self._sources.append(source)

    def note(self, numbers: Mapping[str, int]) -> None:
        for session_id, number in numbers.items():
            self._known[session_id] = max(number, self._known.get(session_id, -1))

    async def find_moved(self, connection: PostgresConnection) -> Signal | None:
        """Ask, in one statement, about every session that is followed. One that is new among them may have moved
        before this question: it counts as moved. The others are forgotten.
        """
        followed = {session_id for source in self._sources for session_id in source()}
        known, self._known = {session_id: self._known.get(session_id, -1) for session_id in followed}, {}
        if not followed:
            return None
        try:
            rows = await connection.fetch("SELECT id, last_seq FROM sessions WHERE id = ANY($1)", list(followed))
        finally:
            # What was noted while the question was under way is in it already.
            self.note(known)
        moved = frozenset(row["id"] for row in rows if row["last_seq"] > self._known[row["id"]])
        self.note({row["id"]: row["last_seq"] for row in rows})
        return Signal(moved) if moved else None
