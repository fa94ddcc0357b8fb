"""Finds commits whose notification was lost. A node that dies between its commit and its notification never sends it,
and no other node does: a closed turn is not taken over. So each node polls the newest numbers of the sessions it
follows.
"""

from collections.abc import Callable, Iterable, Mapping

from wakeful.store.base import Signal
from wakeful.store.postgres.connection import PostgresConnection


class MissedCommits:
    def __init__(self) -> None:
        self._sources: list[Callable[[], Iterable[str]]] = []
        # The newest number of each session that this node knows.
        self._known: dict[str, int] = {}

    def add(self, source: Callable[[], Iterable[str]]) -> None:
        self._sources.append(source)

    def note(self, numbers: Mapping[str, int]) -> None:
        for session_id, number in numbers.items():
            self._known[session_id] = max(number, self._known.get(session_id, -1))

    async def find(self, connection: PostgresConnection) -> Signal | None:
        """Return a signal of the followed sessions that have newer events than this node knows, found in one statement.
        A session that is followed only now counts as changed: a commit may have been missed before. Sessions that are
        no longer followed are forgotten.
        """
        followed = {session_id for source in self._sources for session_id in source()}
        known, self._known = {session_id: self._known.get(session_id, -1) for session_id in followed}, {}
        if not followed:
            return None
        try:
            rows = await connection.fetch("SELECT id, last_seq FROM sessions WHERE id = ANY($1)", list(followed))
        finally:
            # Keep the numbers that were noted during the query: note() takes the larger one.
            self.note(known)
        moved = frozenset(row["id"] for row in rows if row["last_seq"] > self._known[row["id"]])
        self.note({row["id"]: row["last_seq"] for row in rows})
        return Signal(moved) if moved else None
