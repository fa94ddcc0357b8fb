"""What the requests of several families have in common."""

from wakeful.wire.openapi import Json, choice, header, query, record, text, whole

PAGE_PARAMETERS = (
    query("limit", whole(1, 100), "How many; 20 where nothing is said."),
    query("order", choice("asc", "desc"), "The newest come first, unless it is `asc`."),
    query("after", text(), "The id of the last item of the page before."),
)
SESSION_PARAMETERS = (
    header("X-Hermes-Session-Key", text(maxLength=256), "A name of your own for a session that goes on."),
    header("X-Hermes-Session-Id", text(maxLength=256), "The id of such a session, or of one of the page; it wins."),
)
SESSION_HEADER: dict[str, Json] = {
    "x-hermes-session-id": {"description": "The session that it belongs to.", "required": True, "schema": text()}
}
USAGE = record(
    {
        "input_tokens": whole(0),
        "input_tokens_details": record({"cached_tokens": whole(0), "cache_write_tokens": whole(0)}),
        "output_tokens": whole(0),
        "output_tokens_details": record({"reasoning_tokens": whole(0)}),
        "total_tokens": whole(0),
    }
)
