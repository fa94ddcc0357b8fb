"""The items of a conversation: what was said in its completed turns, in order. That list is its context."""

from collections.abc import Sequence
from typing import Any

from wakeful.engine.readers.reader import ended_words
from wakeful.gateway.openai.items.objects import (
    FunctionCall,
    FunctionOutput,
    InputImage,
    InputText,
    Message,
    OutputItem,
    OutputText,
    ServerCall,
    ShownItem,
)
from wakeful.gateway.openai.items.output_items import COMPLETED, INCOMPLETE, ServerCallItem
from wakeful.gateway.openai.items.place import place_of
from wakeful.gateway.openai.responses.turn_response import response_of
from wakeful.model.event import Event
from wakeful.model.journal import Entry
from wakeful.model.turn import Turn
from wakeful.model.words import Word
from wakeful.store.base import Transaction

_PAGE = 1000
# Longer conversations are not what a model could read.
_TURNS = 10_000


async def items_of_session(tx: Transaction, checkpoint: str | None) -> list[ShownItem]:
    """Oldest first, from the first turn to this one, without those that were deleted."""
    if checkpoint is None:
        return []
    items: list[ShownItem] = []
    for turn in reversed(await tx.turns.chain(checkpoint, _TURNS)):
        journal = await tx.journal.of_turns([turn.id])
        said = [*_input_items(journal), *await _output_items(tx, turn)]
        items += [item for item in said if not _is_deleted(item, journal)]
    return items


async def input_items(tx: Transaction, turn_id: str) -> list[ShownItem]:
    """What the client said, as items, in order."""
    return _input_items(await tx.journal.of_turns([turn_id]))


def _input_items(journal: Sequence[Entry]) -> list[ShownItem]:
    return [_input_item(entry) for entry in journal if entry.step == 0]


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
    place = place_of(item.id)
    assert place is not None
    return place.is_deleted(journal)


def _input_item(entry: Entry) -> ShownItem:
    data = entry.data
    rest = entry.id.removeprefix("turn_").replace(".", "_")
    role = data.get("role", "user")
    if role == "tool":
        return FunctionOutput(id=f"fco_{rest}", status=COMPLETED, call_id=data["call_id"], output=data["text"])
    if "server_label" in data:
        return _server_call(f"mcp_{rest}", data)
    if calls := data.get("calls"):
        called = {"call_id": calls[0]["id"], "name": calls[0]["name"], "arguments": calls[0]["arguments"]}
        return FunctionCall(id=f"fc_{rest}", status=COMPLETED, **called)
    part = OutputText(text=data["text"]) if role == "assistant" else InputText(text=data["text"])
    images = [InputImage(image_url=url) for url in data.get("images", ())]
    return Message(id=f"msg_{rest}", role=role, status=COMPLETED, content=[part, *images])


def _server_call(item_id: str, data: dict[str, Any]) -> ServerCall:
    call, result = data["calls"][0], data.get("result")
    item = ServerCallItem(item_id, 0, 0, INCOMPLETE, name=call["name"], arguments=call["arguments"])
    item.server_label = data["server_label"]
    if result is not None:
        item.finish(result["text"], is_error=result["is_error"])
    return item.data()
