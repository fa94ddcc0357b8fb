"""What the requests of several families have in common."""

from wakeful.gateway.openai.answer_format import NAME as SCHEMA_NAME
from wakeful.gateway.openai.client_tools import NAME as FUNCTION_NAME
from wakeful.gateway.openai.response_request import SERVICE_TIERS
from wakeful.wire.openapi import FLAG, OBJECT, Json, choice, header, or_null, query, record, text, told, whole

MANY = 10_000_000
LONG_TEXT = text(maxLength=1_000_000)
MODEL = told(
    "`wakeful` or nothing for the configured one, `provider:model`, or a name of the catalogue.",
    or_null(text(maxLength=256)),
)
METADATA = or_null(
    {
        "type": "object",
        "maxProperties": 16,
        "propertyNames": {"maxLength": 64},
        "additionalProperties": text(maxLength=512),
    }
)
SERVICE_TIER = or_null(choice(*SERVICE_TIERS))
REASONING_EFFORT = told("As the model's endpoint knows it.", or_null(text(maxLength=32)))

FUNCTION_NAMED = {"name": text(pattern=f"^{FUNCTION_NAME.pattern}$")}
FUNCTION_MORE = {
    "description": or_null(LONG_TEXT),
    "parameters": told("A JSON schema.", or_null(OBJECT)),
    "strict": or_null(FLAG),
}
SCHEMA_NAMED = {"name": text(pattern=f"^{SCHEMA_NAME.pattern}$"), "schema": OBJECT}
SCHEMA_MORE = {"strict": or_null(FLAG), "description": or_null(LONG_TEXT)}

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
