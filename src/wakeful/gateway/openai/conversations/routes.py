"""The routes of conversations."""

from dataclasses import replace
from typing import Annotated, Literal

import orjson
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wakeful.engine.stale_summaries import drop_summaries_of
from wakeful.errors import SessionBusy
from wakeful.gateway.openai.api import Api, read_api_body
from wakeful.gateway.openai.conversations.items import items_of_session
from wakeful.gateway.openai.errors import ApiError
from wakeful.gateway.openai.fields.common_fields import Metadata, NonNegative
from wakeful.gateway.openai.items.input_items import InputItem
from wakeful.gateway.openai.items.inputs import Input, inputs_of
from wakeful.gateway.openai.items.objects import ShownItem
from wakeful.gateway.openai.items.page import item_page, page_of
from wakeful.gateway.openai.items.position import ItemPosition, pair_of, position_of
from wakeful.gateway.openai.items.recorded_inputs import input_items
from wakeful.gateway.openai.items.references import References
from wakeful.gateway.openai.lanes.answered_calls import require_calls
from wakeful.gateway.openai.lanes.conversation_state import state_of
from wakeful.gateway.openai.lanes.entry import busy
from wakeful.gateway.openai.lanes.lane import ApiLane, Lanes, no_conversation
from wakeful.gateway.openai.named_route import NamedRoute
from wakeful.model.api.conversation import Conversation
from wakeful.model.api.request import TurnRequest
from wakeful.model.journal.entry import without
from wakeful.store.base import Transaction
from wakeful.wire.answer import JsonAnswer
from wakeful.wire.declared import Incoming, Outgoing, says, words
from wakeful.wire.reading import read

# A lane without history, for checking the items of a new conversation.
_NO_HISTORY = ApiLane("")


class NewConversation(Incoming):
    metadata: Metadata | None = None
    items: list[InputItem] | None = None


class ChangedConversation(Incoming):
    metadata: Annotated[Metadata | None, says(missing="{} must be given: it replaces the present one.")]


class NewItems(Incoming):
    items: Annotated[list[InputItem], Meta(min_length=1), says("{} must be a list with at least one item.")]


class ShownConversation(Outgoing):
    id: str
    object: Literal["conversation"] = "conversation"
    created_at: NonNegative
    metadata: dict[str, str]
    latest_completed_response_id: Annotated[str | None, words("What the next response continues from.")]
    active_response_id: Annotated[str | None, words("The running response: no other can begin before it ends.")]


class DeletedConversation(Outgoing):
    id: str
    object: Literal["conversation.deleted"] = "conversation.deleted"
    deleted: bool = True


class ConversationRoutes:
    def __init__(self, api: Api) -> None:
        self._api = api
        self._lanes = Lanes(api)
        self._references = References(api)

    def routes(self) -> list[Route]:
        one = "/v1/conversations/{conversation_id:sent}"
        return [
            Route("/v1/conversations", self.create, methods=["POST"]),
            NamedRoute(one, self.change, methods=["POST"]),
            NamedRoute(one, self.delete, methods=["DELETE"]),
            NamedRoute(f"{one}/items", self.items, methods=["GET"]),
            NamedRoute(f"{one}/items", self.add_items, methods=["POST"]),
            NamedRoute(f"{one}/items/{{item_id:sent}}", self.item, methods=["GET"]),
            NamedRoute(f"{one}/items/{{item_id:sent}}", self.delete_item, methods=["DELETE"]),
            # Last, because a name with unencoded slashes looks like the paths above.
            NamedRoute("/v1/conversations/{conversation_id:slashed}", self.show, methods=["GET"]),
        ]

    async def create(self, request: Request) -> Response:
        given = read(NewConversation, await read_api_body(request))
        inputs = await self._references.resolve(request, inputs_of(given.items or (), "items"))
        await require_calls(self._api.store, _NO_HISTORY, inputs, "items")
        model = await self._api.resolve_model("") or ""
        made = await self._lanes.create(request.state.principal, model, orjson.dumps(given.metadata or {}))
        if inputs:
            await self._record(made, inputs)
        return await self._shown(made)

    async def show(self, request: Request) -> Response:
        return await self._shown(await self._find(request))

    async def change(self, request: Request) -> Response:
        given = read(ChangedConversation, await read_api_body(request))
        metadata = orjson.dumps(given.metadata or {})
        found = await self._find(request)

        async def body(tx: Transaction) -> None:
            await tx.conversations.change(found.id, metadata)

        await self._api.store.write(body)
        return await self._shown(replace(found, metadata=metadata))

    async def delete(self, request: Request) -> Response:
        found = await self._find(request)

        async def body(tx: Transaction) -> None:
            await tx.conversations.delete(found.id)

        await self._api.store.write(body)
        return JsonAnswer(DeletedConversation(id=found.id))

    async def items(self, request: Request) -> Response:
        return JsonAnswer(item_page(request, await self._items(await self._find(request))))

    async def add_items(self, request: Request) -> Response:
        given = read(NewItems, await read_api_body(request))
        found = await self._find(request)
        added = await self._record(found, await self._references.resolve(request, inputs_of(given.items, "items")))
        return JsonAnswer(page_of(added))

    async def item(self, request: Request) -> Response:
        return JsonAnswer(_item_in(request, await self._items(await self._find(request))))

    async def delete_item(self, request: Request) -> Response:
        """Delete the item from the context of later turns; its response stays as it is. A call and its output go
        together, because a model cannot read one without the other.
        """
        found = await self._find(request)
        items = await self._items(found)
        doomed = pair_of(items, _item_in(request, items))
        await self._delete(
            found, [part for item in doomed if (position := position_of(item.id)) for part in position.parts]
        )
        return await self._shown(found)

    async def _delete(self, conversation: Conversation, positions: list[ItemPosition]) -> None:
        async def body(tx: Transaction) -> None:
            session = await tx.sessions.get(conversation.session_id)
            if session is not None and session.active is not None:
                raise busy(await state_of(tx, session))
            for position in positions:
                entry = position.entry_in(await tx.journal.of_turns([position.turn_id]))
                assert entry is not None
                await tx.journal.replace(without(entry, position.part))
                await drop_summaries_of(tx, entry)

        await self._api.store.write(body, lock=[conversation.session_id])

    async def _items(self, conversation: Conversation) -> list[ShownItem]:
        async def body(tx: Transaction) -> list[ShownItem]:
            session = await tx.sessions.get(conversation.session_id)
            return [] if session is None else await items_of_session(tx, session.checkpoint)

        return await self._api.store.read(body)

    async def _record(self, conversation: Conversation, inputs: list[Input]) -> list[ShownItem]:
        """Record the inputs as a turn without an answer. Return its items. Raises ApiError."""
        await require_calls(self._api.store, ApiLane(conversation.session_id), inputs, "items")
        submission = self._api.submission(conversation.session_id, "", inputs, TurnRequest(kind="items"))
        try:
            turn_id = await self._api.engine.record(submission)
        except SessionBusy as error:
            raise busy(await self._state(conversation)) from error
        return await self._api.store.read(lambda tx: input_items(tx, turn_id))

    async def _find(self, request: Request) -> Conversation:
        named = request.path_params["conversation_id"]
        found = await self._lanes.conversation(request, named)
        if found is None:
            raise no_conversation(named)
        return found

    async def _shown(self, conversation: Conversation) -> Response:
        state = await self._state(conversation)
        shown = ShownConversation(
            id=conversation.id,
            created_at=int(conversation.created_at),
            metadata=orjson.loads(conversation.metadata),
            latest_completed_response_id=state["latest_completed_response_id"],
            active_response_id=state["active_response_id"],
        )
        return JsonAnswer(shown)

    async def _state(self, conversation: Conversation) -> dict[str, str | None]:
        async def body(tx: Transaction) -> dict[str, str | None]:
            return await state_of(tx, await tx.sessions.get(conversation.session_id))

        return await self._api.store.read(body)


def _item_in(request: Request, items: list[ShownItem]) -> ShownItem:
    item_id = request.path_params["item_id"]
    for item in items:
        if item.id == item_id:
            return item
    raise ApiError(404, "item_not_found", f"There is no item {item_id}.")
