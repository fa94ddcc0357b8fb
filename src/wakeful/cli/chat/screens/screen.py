"""What a conversation is shown on."""

from dataclasses import dataclass, field
from typing import Protocol

from wakeful.cli.chat.cards.card import Card


@dataclass(slots=True)
class AnswerDraft:
    """What is not yet final, and shown as it stands: it may grow, or be taken back."""

    text: str = ""
    thought: str = ""
    # The titles of calls under way, and since when.
    calls: dict[str, tuple[str, float]] = field(default_factory=dict)


class Screen(Protocol):
    """What is shown with these is final."""

    def show(self, card: Card) -> None: ...

    def show_answer(self, block: str) -> None:
        """A finished block of markdown."""
        ...

    def change_draft(self, draft: AnswerDraft) -> None:
        """It is the same one every time, and has changed."""
        ...
