"""Why a turn did not come to its end, from its last event, in the words of each API."""

from typing import Any

from wakeful.model import event as events
from wakeful.model.event import Event

# The SDK knows a closed list of codes in a response; what has no counterpart there is the server's fault.
_RESPONSE_CODES = {
    "model_rate_limited": "rate_limit_exceeded",
    "context_overflow": "invalid_prompt",
    "content_filter": "invalid_prompt",
}


def response_error(failed: Event) -> dict[str, str]:
    data = failed.data
    return {"code": _RESPONSE_CODES.get(data["code"], "server_error"), "message": data["message"]}


def chat_error(code: str, message: str) -> dict[str, Any]:
    return {"message": message, "type": "server_error", "param": None, "code": code}


def chat_error_of(last: Event) -> dict[str, Any] | None:
    """None where a turn is done: that is no failure."""
    if last.kind == events.DONE:
        return None
    data = last.data
    if last.kind == events.CANCELLED:
        return chat_error("cancelled", data.get("message") or "The request was cancelled.")
    return chat_error(data["code"], data["message"])
