"""The screen for pipes and simple terminals: plain lines, printed once they are final."""

from collections.abc import Callable, Mapping
from time import monotonic
from typing import TextIO

from wakeful.cli.chat.cards.card import Card
from wakeful.cli.chat.screens.screen import AnswerDraft

# The shortest time between two lines about one sub-agent.
_WORK_SECONDS = 30.0


class PlainScreen:
    def __init__(self, out: TextIO, clock: Callable[[], float] = monotonic) -> None:
        self._out = out
        self._clock = clock
        # What was last printed about each sub-agent, and when.
        self._said: dict[str, tuple[str, float]] = {}

    def show(self, card: Card) -> None:
        note = f"  ({card.note})" if card.note and not card.note.startswith("(") else f"  {card.note}".rstrip()
        self._write([f"{card.mark} {card.title}{note}", *(f"  {line}".rstrip() for line in card.lines)])

    def show_answer(self, block: str) -> None:
        self._write([*block.split("\n")])

    def change_draft(self, draft: AnswerDraft) -> None:
        """Print nothing: a draft may be taken back, printed text cannot."""

    def change_work(self, lines: Mapping[str, str]) -> None:
        """Print a line for each sub-agent when it starts, and when what it does has changed after a while."""
        now = self._clock()
        fresh = {of: line for of, line in lines.items() if self._is_due(of, line, now)}
        said = {of: self._said[of] for of in lines if of in self._said}
        self._said = said | {of: (line, now) for of, line in fresh.items()}
        if fresh:
            self._write([*fresh.values()])

    def _is_due(self, task_id: str, line: str, now: float) -> bool:
        said, at = self._said.get(task_id, ("", -_WORK_SECONDS))
        return line != said and now - at >= _WORK_SECONDS

    def _write(self, lines: list[str]) -> None:
        self._out.write("\n".join(lines) + "\n\n")
        self._out.flush()
