"""The routes of conversations."""

from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from wakeful.errors import SessionBusy
from wakeful.gateway.openai import body as fields
from wakeful.gateway.openai.api import Api
from wakeful.gateway.openai.body import read_body
from wakeful.gateway.openai.conversation_items import items_of_session
from wakeful.gateway.openai.errors import ApiError, invalid
from wakeful.gateway.openai.item_page import item_page
from wakeful.gateway.openai.lane import Lanes
from wakeful.gateway.openai.response_inputs import Input, read_inputs
from wakeful.model.conversation import Conversation
from wakeful.model.request import TurnRequest
from wakeful.store.base import Transaction


class ConversationRoutes:
    def __init__(self, api: Api) -> None:
        self._api = api
        self._lanes = Lanes(api)

    def routes(self) -> list[Route]:
        return [
            Route("/v1/conversations", self.create, methods=["POST"]),
            Route("/v1/conversations/{conversation_id}", self.show, methods=["GET"]),
            Route("/v1/conversations/{conversation_id}", self.change, methods=["POST"]),
            Route("/v1/conversations/{conversation_id}", self.delete, methods=["DELETE"]),
            Route("/v1/conversations/{conversation_id}/items", self.items, methods=["GET"]),
            Route("/v1/conversations/{conversation_id}/items", self.add_items, methods=["POST"]),
            Route("/v1/conversations/{conversation_id}/items/{item_id}", self.item, methods=["GET"]),
        ]

    async def create(self, request: Request) -> Response:
        body = await read_body(request)
        metadata = fields.metadata(body) or {}
        given = fields.entries(body, "items")
        inputs = _inputs(given) if given else []
        model = self._api.resolve_model("") or ""
        made = await self._lanes.create(request.state.principal, model, metadata=orjson.dumps(metadata))
        if inputs:
            await self._record(made, inputs)
        return JSONResponse(_form(made))

    async def show(self, request: Request) -> Response:
        return JSONResponse(_form(await self._find(request)))

    async def change(self, request: Request) -> Response:
        given = await read_body(request)
        if "metadata" not in given:
            raise invalid("metadata", "metadata must be given: it takes the place of what there was.")
        metadata = orjson.dumps(fields.metadata(given) or {})
        found = await self._find(request)

        async def body(tx: Transaction) -> None:
            await tx.conversations.change(found.id, metadata)

        await self._api.store.write(body)
        return JSONResponse(_form(await self._find(request)))

    async def delete(self, request: Request) -> Response:
        found = await self._find(request)

        async def body(tx: Transaction) -> None:
            await tx.conversations.delete(found.id)

        await self._api.store.write(body)
        return JSONResponse({"id": found.id, "object": "conversation.deleted", "deleted": True})

    async def items(self, request: Request) -> Response:
        return JSONResponse(item_page(request, await self._items(await self._find(request))))

    async def add_items(self, request: Request) -> Response:
        inputs = _inputs((await read_body(request)).get("items"))
        found = await self._find(request)
        await self._record(found, inputs)
        added = (await self._items(found))[-len(inputs) :]
        ends = {"first_id": added[0]["id"], "last_id": added[-1]["id"]}
        return JSONResponse({"object": "list", "data": added, **ends, "has_more": False})

    async def item(self, request: Request) -> Response:
        item_id = request.path_params["item_id"]
        for item in await self._items(await self._find(request)):
            if item["id"] == item_id:
                return JSONResponse(item)
        raise ApiError(404, "item_not_found", f"There is no item {item_id}.")

    async def _items(self, conversation: Conversation) -> list[dict[str, Any]]:
        async def body(tx: Transaction) -> list[dict[str, Any]]:
            session = await tx.sessions.get(conversation.session_id)
            return [] if session is None else await items_of_session(tx, session.checkpoint)

        return await self._api.store.read(body)

    async def _record(self, conversation: Conversation, inputs: list[Input]) -> None:
        """Words that nobody is to answer yet."""
        submission = self._api.submission(conversation.session_id, "", inputs, TurnRequest(kind="items"))
        try:
            await self._api.engine.record(submission)
        except SessionBusy as busy:
            message = "The conversation's last response has not completed."
            code = "conversation_response_not_completed"
            raise ApiError(409, code, message, headers={"x-should-retry": "false"}) from busy

    async def _find(self, request: Request) -> Conversation:
        named = request.path_params["conversation_id"]
        return await self._lanes.conversation(request, named if named.startswith("conv_") else f"conv_{named}", "")


def _inputs(given: Any) -> list[Input]:
    if not isinstance(given, list) or not given:
        raise invalid("items", "items must be a list with at least one item.")
    return read_inputs(given, "items")


def _form(conversation: Conversation) -> dict[str, Any]:
    return {
        "id": conversation.id,
        "object": "conversation",
        "created_at": int(conversation.created_at),
        "metadata": orjson.loads(conversation.metadata),
    }
