"""The items of a conversation: the inputs and outputs of its completed turns, in order. A model reads that list."""

from collections.abc import Sequence

from wakeful.engine.readers.reader import ended_words
from wakeful.gateway.openai.items.objects import OutputItem, ShownItem
from wakeful.gateway.openai.items.position import position_of
from wakeful.gateway.openai.items.recorded_inputs import recorded_inputs
from wakeful.gateway.openai.responses.turn_response import response_of
from wakeful.model.event import Event
from wakeful.model.journal.entry import Entry
from wakeful.model.turn import Turn
from wakeful.model.words import Word
from wakeful.store.base import Transaction

_PAGE = 1000
# No model could read a longer conversation.
_TURNS = 10_000


async def items_of_session(tx: Transaction, checkpoint: str | None) -> list[ShownItem]:
    """Return the items of the turns up to the checkpoint, oldest first, without deleted ones."""
    if checkpoint is None:
        return []
    items: list[ShownItem] = []
    for turn in reversed(await tx.turns.chain(checkpoint, _TURNS)):
        journal = await tx.journal.of_turns([turn.id])
        said = [*recorded_inputs(journal), *await _output_items(tx, turn)]
        items += [item for item in said if not _is_deleted(item, journal)]
    return items


async def _output_items(tx: Transaction, turn: Turn) -> list[OutputItem]:
    projection = response_of(turn)
    seen = 0
    while page := await tx.events.of_turn(turn.id, seen, _PAGE):
        for event in page:
            for word in await _words_before(tx, event):
                projection.feed(word)
            projection.feed(event)
            seen = event.turn_seq or seen
    return projection.response().output


async def _words_before(tx: Transaction, event: Event) -> Sequence[Word]:
    return () if event.ends is None else await ended_words(tx, event, 0, event.ends.count)


def _is_deleted(item: ShownItem, journal: Sequence[Entry]) -> bool:
    position = position_of(item.id)
    assert position is not None
    return position.is_deleted(journal)
