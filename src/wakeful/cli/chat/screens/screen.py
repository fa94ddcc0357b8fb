"""The interface of the screens that show a session."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from wakeful.cli.chat.cards.card import Card


@dataclass(slots=True)
class AnswerDraft:
    """What is not final yet: it may grow or be taken back."""

    text: str = ""
    thought: str = ""
    # Running calls by id: title and start time.
    calls: dict[str, tuple[str, float]] = field(default_factory=dict)


class Screen(Protocol):
    """What `show` and `show_answer` print is final; a draft is not."""

    def show(self, card: Card) -> None: ...

    def show_answer(self, block: str) -> None:
        """Show a finished block of Markdown."""
        ...

    def change_draft(self, draft: AnswerDraft) -> None:
        """Repaint the draft, which is always the same object."""
        ...

    def change_work(self, lines: Mapping[str, str]) -> None:
        """Show what running sub-agents do, by the ids of their tasks."""
        ...
