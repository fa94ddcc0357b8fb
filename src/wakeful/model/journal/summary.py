"""A summary: a recorded step that replaces the beginning of a conversation in what the model reads."""

from dataclasses import dataclass
from enum import StrEnum

from wakeful.model.journal.message import Message, SummaryMessage, SystemMessage, Usage
from wakeful.model.spend import Spend

# A summary that frees less than this part of the context was made in vain.
_LEAST_FREED = 0.1

_BY_MODEL = "[A summary of the conversation so far. It replaces the messages that it is about.]"
_BY_SERVER = (
    "[The beginning of each message of the conversation so far, instead of a summary: no model could write one. It "
    "replaces the messages.]"
)
_SAID = "[What the user has written last, word for word. The summary says what of it is done.]"
_TODO = "[The list of what is to be done, as it was when this was written:]"
_WORK = "[Background work that was running when this was written:]"


class CompactionReason(StrEnum):
    # The context has nearly filled the model's window.
    AUTO = "auto"
    # The model's endpoint says that the context is too long.
    OVERFLOW = "overflow"
    # The user asked for it.
    MANUAL = "manual"


@dataclass(frozen=True, slots=True)
class Summary:
    words: str
    # The id of the entry with which the messages begin that stay word for word; empty: none stays.
    keeps_from: str
    # Clients' instructions, and the user's newest words, among what it stands for.
    instructions: tuple[str, ...]
    said: tuple[str, ...]
    # The background work that runs, a line for each.
    work: tuple[str, ...]
    reason: CompactionReason
    # Estimates of the whole context.
    tokens_before: int
    tokens_after: int
    # The model that wrote it, empty if none could, and what that cost.
    model: str
    usage: Usage
    # In USD; None if the model's price is unknown.
    cost_usd: float | None = None
    # The agent's list of what is to be done, a line for each item.
    todo: tuple[str, ...] = ()

    @property
    def spend(self) -> Spend:
        return Spend.of_answer(self.usage.input_tokens, self.usage.output_tokens, self.cost_usd)

    @property
    def text(self) -> str:
        """All that the model reads of it, besides the instructions."""
        parts = [_BY_MODEL if self.model else _BY_SERVER, self.words]
        parts += [_SAID, *self.said] if self.said else []
        parts += [_TODO, "\n".join(self.todo)] if self.todo else []
        parts += [_WORK, "\n".join(self.work)] if self.work else []
        return "\n\n".join(parts)

    @property
    def is_vain(self) -> bool:
        return self.tokens_after > (1 - _LEAST_FREED) * self.tokens_before

    def messages(self, origin: str = "") -> list[Message]:
        """Return what the model reads instead of the messages that it stands for."""
        instructions = [SystemMessage(text, origin=origin) for text in self.instructions]
        return [*instructions, SummaryMessage(self.text, origin=origin, words=self.words, said=self.said)]

    def context_turn(self, turn_id: str) -> str:
        """Return the turn with which the journal of the context begins, for a summary in this turn."""
        return self.keeps_from.partition(".")[0] or turn_id
