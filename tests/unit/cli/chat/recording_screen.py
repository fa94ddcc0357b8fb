"""A screen that keeps what it was given."""

import asyncio
from collections.abc import Mapping

from wakeful.cli.chat.cards.card import Card
from wakeful.cli.chat.screens.screen import AnswerDraft


class RecordingScreen:
    def __init__(self) -> None:
        # Titles of cards after their marks, and blocks of answers.
        self.shown: list[str] = []
        self.cards: list[Card] = []
        self.draft = AnswerDraft()
        self.work: Mapping[str, str] = {}
        self._has_changed = asyncio.Event()

    def show(self, card: Card) -> None:
        self.cards.append(card)
        self._add(f"{card.mark} {card.title}")

    def show_answer(self, block: str) -> None:
        self._add(block)

    def change_draft(self, draft: AnswerDraft) -> None:
        # What is painted now: the draft itself goes on changing.
        self.draft = AnswerDraft(draft.text, draft.thought, dict(draft.calls))
        self._has_changed.set()

    def change_work(self, lines: Mapping[str, str]) -> None:
        self.work = lines
        self._has_changed.set()

    async def until_shown(self, words: str) -> None:
        async with asyncio.timeout(10):
            while not any(words in line for line in self.shown):
                self._has_changed.clear()
                await self._has_changed.wait()

    def _add(self, line: str) -> None:
        self.shown.append(line)
        self._has_changed.set()
