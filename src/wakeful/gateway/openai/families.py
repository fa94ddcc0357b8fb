"""The families of the OpenAI-compatible API, for the OpenAPI document."""

from wakeful.gateway.openai.chat import document as chat
from wakeful.gateway.openai.conversations import document as conversations
from wakeful.gateway.openai.models import document as models
from wakeful.gateway.openai.responses import document as responses
from wakeful.gateway.openai.runs import document as runs

FAMILIES = (responses.FAMILY, conversations.FAMILY, chat.FAMILY, runs.FAMILY, models.FAMILY)
