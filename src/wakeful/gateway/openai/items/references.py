"""Replaces references in the input with the stored items that they name."""

from collections.abc import Sequence
from typing import Any

from starlette.requests import Request

from wakeful.gateway.openai.api import Api
from wakeful.gateway.openai.errors import ApiError
from wakeful.gateway.openai.items.inputs import Input, Reference
from wakeful.gateway.openai.items.output_items import SERVER_LABEL
from wakeful.gateway.openai.items.position import ItemPosition, position_of
from wakeful.model.journal.entry import REASONING, TEXT, Entry, EntryKind
from wakeful.store.base import Transaction

# Fields of an input that say where it came from; a copy of it leaves them out.
_ORIGIN = ("source", "message_id")


class References:
    def __init__(self, api: Api) -> None:
        self._api = api

    async def resolve(self, request: Request, inputs: Sequence[Input | Reference]) -> list[Input]:
        """Return the inputs with every reference replaced by what it names. Raises ApiError."""
        return [given if isinstance(given, dict) else await self._named(request, given) for given in inputs]

    async def _named(self, request: Request, reference: Reference) -> Input:
        position = position_of(reference.id)
        found = None if position is None else await self._find(request, position)
        if found is None and reference.otherwise is not None:
            return reference.otherwise
        if found is None:
            message = f"There is no item {reference.id!r} in a stored response or a conversation."
            raise ApiError(404, "item_not_found", message, param=f"{reference.where}.id")
        return found

    async def _find(self, request: Request, position: ItemPosition) -> Input | None:
        async def body(tx: Transaction) -> list[Entry]:
            is_visible = await self._is_visible(tx, request, position.turn_id)
            return await tx.journal.of_turns([position.turn_id]) if is_visible else []

        journal = await self._api.store.read(body)
        entry = position.entry_in(journal)
        if entry is None or entry.kind in (EntryKind.CUT, EntryKind.SUMMARY) or position.is_deleted(journal):
            return None
        named = _input_of(entry, position)
        return (
            _with_result(named, position, journal) if named is not None and position.result_index is not None else named
        )

    async def _is_visible(self, tx: Transaction, request: Request, turn_id: str) -> bool:
        """Return whether the client may see the turn's items. A conversation keeps those of a deleted response."""
        if await self._api.find_turn(tx, request, turn_id) is not None:
            return True
        turn = await tx.turns.get(turn_id)
        conversation = None if turn is None else await tx.conversations.of_session(turn.session_id)
        return conversation is not None and self._api.may_see(request, conversation.owner)


def _input_of(entry: Entry, position: ItemPosition) -> Input | None:
    data: dict[str, Any] = entry.data
    if entry.kind is EntryKind.INPUT:
        return {name: value for name, value in data.items() if name not in _ORIGIN}
    if entry.kind is EntryKind.RESULT:
        return {"role": "tool", "call_id": data["call_id"], "text": data["text"]}
    if position.part in (TEXT, REASONING):
        return {"role": "assistant", "text": data["text"] if position.part == TEXT else ""}
    assert isinstance(position.part, int)
    calls = data["calls"][position.part - 1 : position.part]
    return {"role": "assistant", "text": "", "calls": calls} if calls else None


def _with_result(call: Input, position: ItemPosition, journal: Sequence[Entry]) -> Input | None:
    """Return the call with its result, or None if it has none: then the server has not run it."""
    results = [entry.data for part in position.parts[1:] if (entry := part.entry_in(journal)) is not None]
    if not results:
        return None
    result = {"text": results[0]["text"], "is_error": results[0].get("is_error", False)}
    return call | {"server_label": SERVER_LABEL, "result": result}
