"""The routes of the OpenAI-compatible API, for app.py to hand to the HTTP door."""

from starlette.routing import Route

from wakeful.gateway.openai.api import Api
from wakeful.gateway.openai.chat.routes import ChatRoutes
from wakeful.gateway.openai.conversations.routes import ConversationRoutes
from wakeful.gateway.openai.models.routes import ModelRoutes
from wakeful.gateway.openai.responses.routes import ResponseRoutes
from wakeful.gateway.openai.runs.routes import RunRoutes


def api_routes(api: Api) -> list[Route]:
    rooms = (ResponseRoutes(api), ConversationRoutes(api), ChatRoutes(api), RunRoutes(api), ModelRoutes(api))
    return [route for room in rooms for route in room.routes()]
