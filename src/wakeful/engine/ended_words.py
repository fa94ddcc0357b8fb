"""Words that have ended, where they are kept."""

from collections.abc import Sequence

from wakeful.model.event import Event
from wakeful.model.words import Word
from wakeful.store.base import Transaction


async def ended_words(tx: Transaction, fact: Event, after: int, limit: int) -> Sequence[Word]:
    """Of those that end with this fact: the pieces after the first `after`, at most so many."""
    assert fact.ends is not None
    if fact.ends.said is not None:
        return fact.ends.said.words(fact.words_head, after, limit)
    return await tx.journal.words(fact.words_head, after, limit)
