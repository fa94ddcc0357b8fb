"""What the requests of several families have in common."""

from wakeful.gateway.openai.session_headers import SessionNames
from wakeful.wire.openapi import TEXT
from wakeful.wire.schema import Json, parameters

SESSION_PARAMETERS = parameters(SessionNames, "header")
SESSION_HEADER: dict[str, Json] = {
    "x-hermes-session-id": {"description": "The session that it belongs to.", "required": True, "schema": TEXT}
}
