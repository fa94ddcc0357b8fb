"""The turns of a session that the chat knows of, to tell which turn a wake-up waited for."""

from time import monotonic
from typing import Any

from wakeful.cli.plain_text import moment


class KnownTurns:
    def __init__(self) -> None:
        # As GET /api/session returns them, by id.
        self._turns: dict[str, dict[str, Any]] = {}
        self._ended = ""
        self._ended_at = 0.0

    def learn(self, turns: dict[str, dict[str, Any]]) -> None:
        self._turns |= turns

    def hear_end(self, turn_id: str) -> None:
        self._ended, self._ended_at = turn_id, monotonic()

    def waited_for(self, turn_id: str, seconds: float) -> int | None:
        """Return the number of the turn that a notice waited for, if it was posted `seconds` before this turn opened.
        None if it waited for something else, or the turn is unknown.
        """
        if turn_id in self._turns:
            return self._was_busy(self._turns[turn_id], seconds)
        # The turn has just opened, so the turn that it waited for has just ended.
        before = self._turns.get(self._ended)
        return before["number"] if before is not None and monotonic() - self._ended_at < seconds else None

    def _was_busy(self, turn: dict[str, Any], seconds: float) -> int | None:
        for before in self._turns.values():
            if before["number"] == turn["number"] - 1 and before["closed_at"] is not None:
                idle = (moment(turn["opened_at"]) - moment(before["closed_at"])).total_seconds()
                return before["number"] if idle < seconds else None
        return None
