"""What the requests of several families have in common."""

from wakeful.wire.openapi import Json, header, text

SESSION_PARAMETERS = (
    header("X-Hermes-Session-Key", text(maxLength=256), "A name of your own for a session that goes on."),
    header("X-Hermes-Session-Id", text(maxLength=256), "The id of such a session, or of one of the page; it wins."),
)
SESSION_HEADER: dict[str, Json] = {
    "x-hermes-session-id": {"description": "The session that it belongs to.", "required": True, "schema": text()}
}
