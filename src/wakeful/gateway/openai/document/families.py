"""All that the OpenAI-compatible API tells of itself."""

from wakeful.gateway.openai.document import chat, conversations, models, responses, runs

FAMILIES = (responses.FAMILY, conversations.FAMILY, chat.FAMILY, runs.FAMILY, models.FAMILY)
