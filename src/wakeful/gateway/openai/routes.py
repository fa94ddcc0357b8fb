"""All routes of the OpenAI-compatible API."""

from starlette.routing import Route

from wakeful.gateway.openai.api import Api
from wakeful.gateway.openai.chat.routes import ChatCompletionRoutes
from wakeful.gateway.openai.conversations.routes import ConversationRoutes
from wakeful.gateway.openai.models.routes import ApiModelRoutes
from wakeful.gateway.openai.responses.routes import ResponseRoutes
from wakeful.gateway.openai.runs.routes import RunRoutes

_FAMILIES = (ResponseRoutes, ConversationRoutes, ChatCompletionRoutes, RunRoutes, ApiModelRoutes)


def api_routes(api: Api) -> list[Route]:
    return [route for family in _FAMILIES for route in family(api).routes()]
