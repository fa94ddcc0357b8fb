"""The screen for pipes and simple terminals: plain lines, printed once they are final."""

from typing import TextIO

from wakeful.cli.chat.cards.card import Card
from wakeful.cli.chat.screens.screen import AnswerDraft


class PlainScreen:
    def __init__(self, out: TextIO) -> None:
        self._out = out

    def show(self, card: Card) -> None:
        note = f"  ({card.note})" if card.note and not card.note.startswith("(") else f"  {card.note}".rstrip()
        self._write([f"{card.mark} {card.title}{note}", *(f"  {line}".rstrip() for line in card.lines)])

    def show_answer(self, block: str) -> None:
        self._write([*block.split("\n")])

    def change_draft(self, draft: AnswerDraft) -> None:
        """Print nothing: a draft may be taken back, printed text cannot."""

    def _write(self, lines: list[str]) -> None:
        self._out.write("\n".join(lines) + "\n\n")
        self._out.flush()
