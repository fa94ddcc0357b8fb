"""Reads the inputs of a turn from the journal, as items."""

from collections.abc import Sequence
from typing import Any

from wakeful.gateway.openai.items.objects import (
    FunctionCall,
    FunctionOutput,
    InputImage,
    InputText,
    OutputText,
    RecordedMessage,
    ServerCall,
    ShownItem,
)
from wakeful.gateway.openai.items.output_items import COMPLETED, INCOMPLETE, ServerCallItem
from wakeful.model.journal.entry import Entry
from wakeful.store.base import Transaction


async def input_items(tx: Transaction, turn_id: str) -> list[ShownItem]:
    """Return the items that the client sent with this turn, in order."""
    return recorded_inputs(await tx.journal.of_turns([turn_id]))


def recorded_inputs(journal: Sequence[Entry]) -> list[ShownItem]:
    return [_input_item(entry) for entry in journal if entry.step == 0]


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
    return RecordedMessage(id=f"msg_{rest}", role=role, status=COMPLETED, content=[part, *images])


def _server_call(item_id: str, data: dict[str, Any]) -> ServerCall:
    call, result = data["calls"][0], data.get("result")
    item = ServerCallItem(item_id, 0, 0, INCOMPLETE, name=call["name"], arguments=call["arguments"])
    item.server_label = data["server_label"]
    if result is not None:
        item.finish(result["text"], is_error=result["is_error"])
    return item.data()
