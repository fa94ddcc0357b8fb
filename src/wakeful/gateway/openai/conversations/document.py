"""The routes of conversations in the OpenAPI document."""

from wakeful.gateway.openai.conversations.routes import (
    ChangedConversation,
    DeletedConversation,
    NewConversation,
    NewItems,
    ShownConversation,
)
from wakeful.gateway.openai.document import api_refusals
from wakeful.gateway.openai.items.objects import ItemPage, ShownItem
from wakeful.gateway.openai.items.page import PageQuery
from wakeful.wire.openapi import Family, json_answer, json_body, operation, path
from wakeful.wire.schema import Json, parameters

_ID = path("conversation_id", "`conv_…`, or the name of a conversation that belongs to the key.")
_ITEM_ID = path("item_id", "The id of an item.")
_CONVERSATION = json_answer("The conversation.", ShownConversation)
_PAGE = json_answer("A page of items.", ItemPage)

_ONE = {
    "get": operation(
        "getConversation", "See a conversation", {200: _CONVERSATION, **api_refusals(404)}, parameters=[_ID]
    ),
    "post": operation(
        "changeConversation",
        "Replace its metadata",
        {200: _CONVERSATION, **api_refusals(400, 404, 413)},
        parameters=[_ID],
        body=json_body(ChangedConversation),
    ),
    "delete": operation(
        "deleteConversation",
        "Delete a conversation",
        {200: json_answer("It is gone.", DeletedConversation), **api_refusals(404)},
        words="The responses in it stay as they are.",
        parameters=[_ID],
    ),
}
_MANY = {
    "get": operation(
        "listConversationItems",
        "List its items",
        {200: _PAGE, **api_refusals(400, 404)},
        parameters=[_ID, *parameters(PageQuery, "query")],
    ),
    "post": operation(
        "addConversationItems",
        "Add items without asking for an answer",
        {200: _PAGE, **api_refusals(400, 404, 409, 413)},
        parameters=[_ID],
        body=json_body(NewItems),
    ),
}

PATHS: dict[str, dict[str, Json]] = {
    "/v1/conversations": {
        "post": operation(
            "createConversation",
            "Begin a conversation",
            {200: _CONVERSATION, **api_refusals(400, 404, 413)},
            body=json_body(NewConversation),
        ),
    },
    "/v1/conversations/{conversation_id}": _ONE,
    "/v1/conversations/{conversation_id}/items": _MANY,
    "/v1/conversations/{conversation_id}/items/{item_id}": {
        "get": operation(
            "getConversationItem",
            "See one item",
            {200: json_answer("The item.", ShownItem), **api_refusals(404)},
            parameters=[_ID, _ITEM_ID],
        ),
        "delete": operation(
            "deleteConversationItem",
            "Delete one item; a call goes with its output",
            {200: _CONVERSATION, **api_refusals(404, 409)},
            words="No model reads it again. The response that it belongs to stays as it is.",
            parameters=[_ID, _ITEM_ID],
        ),
    },
}

FAMILY = Family(
    "Conversations",
    "A history that responses share. Failed and cancelled responses leave nothing in it.",
    PATHS,
    {"Conversation": ShownConversation},
)
