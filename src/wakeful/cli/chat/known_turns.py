"""The turns of a session, as far as they were looked at or heard to end: what a wake-up has waited for."""

from time import monotonic
from typing import Any

from wakeful.cli.plain_text import moment


class KnownTurns:
    def __init__(self) -> None:
        # As GET /api/session tells them, by id.
        self._told: dict[str, dict[str, Any]] = {}
        self._ended = ""
        self._ended_at = 0.0

    def learn(self, turns: dict[str, dict[str, Any]]) -> None:
        self._told |= turns

    def hear_end(self, turn_id: str) -> None:
        self._ended, self._ended_at = turn_id, monotonic()

    def waited_for(self, turn_id: str, seconds: float) -> int | None:
        """The number of the turn that ran when something was posted which opened this turn so many seconds later; None
        where it waited for something else, or where nobody knows.
        """
        if turn_id in self._told:
            return self._was_busy(self._told[turn_id], seconds)
        # It has just been opened. What it waited for has just ended.
        before = self._told.get(self._ended)
        return before["number"] if before is not None and monotonic() - self._ended_at < seconds else None

    def _was_busy(self, turn: dict[str, Any], seconds: float) -> int | None:
        for before in self._told.values():
            if before["number"] == turn["number"] - 1 and before["closed_at"] is not None:
                idle = (moment(turn["opened_at"]) - moment(before["closed_at"])).total_seconds()
                return before["number"] if idle < seconds else None
        return None
