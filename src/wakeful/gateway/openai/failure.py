"""Why a turn did not come to its end, from its last event, in the words of each API."""

from collections.abc import Mapping
from typing import Any

from wakeful.gateway.openai.fields.common_fields import FailureDetails
from wakeful.model import event as events
from wakeful.model.event import Event
from wakeful.wire.error_types import ApiFailure

# What these routes call an overflow, as OpenAI does.
CONTEXT_LENGTH_EXCEEDED = "context_length_exceeded"
# The SDK knows a closed list of codes in a response; what has no counterpart there is the server's fault. The word for
# an overflow is not in that list, but clients look for it: it is what they can do something about.
_RESPONSE_CODES = {
    "model_rate_limited": "rate_limit_exceeded",
    "context_overflow": CONTEXT_LENGTH_EXCEEDED,
    "content_filter": "invalid_prompt",
}
_REFUSED, _FAILED = 400, 502


def response_error(failed: Event) -> FailureDetails:
    data = failed.data
    return FailureDetails(code=_RESPONSE_CODES.get(data["code"], "server_error"), message=data["message"])


def run_error(data: Mapping[str, Any]) -> FailureDetails:
    """From the data of the last event."""
    return FailureDetails(code=_own_word(data["code"]), message=data["message"])


def chat_error(code: str, message: str) -> ApiFailure:
    if code == CONTEXT_LENGTH_EXCEEDED:
        return ApiFailure(message=message, type="invalid_request_error", param="messages", code=code)
    return ApiFailure(message=message, type="server_error", param=None, code=code)


def chat_status(error: ApiFailure) -> int:
    """Of an answer that is this error. No client should send again what is too long."""
    return _REFUSED if error.code == CONTEXT_LENGTH_EXCEEDED else _FAILED


def chat_error_of(last: Event) -> ApiFailure | None:
    """None where a turn is done: that is no failure."""
    if last.kind == events.DONE:
        return None
    data = last.data
    if last.kind == events.CANCELLED:
        return chat_error("cancelled", data.get("message") or "The request was cancelled.")
    return chat_error(_own_word(data["code"]), data["message"])


def _own_word(code: str) -> str:
    return CONTEXT_LENGTH_EXCEEDED if code == "context_overflow" else code
