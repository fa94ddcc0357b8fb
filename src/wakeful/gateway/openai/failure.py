"""Turns the last event of a turn that failed or was cancelled into the error object of each API."""

from collections.abc import Mapping
from typing import Any

from wakeful.gateway.openai.fields.common_fields import FailureDetails
from wakeful.model import event as events
from wakeful.model.event import Event
from wakeful.wire.error_types import ApiFailure

# OpenAI's code for an overflow of the context.
CONTEXT_LENGTH_EXCEEDED = "context_length_exceeded"
# The SDK has a closed list of codes for a response; what has no counterpart there becomes `server_error`. The code for
# an overflow is not in that list, but clients look for it, because they can shorten the conversation.
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
    """`data` is that of the turn's last event."""
    return FailureDetails(code=_api_code(data["code"]), message=data["message"])


def chat_error(code: str, message: str) -> ApiFailure:
    if code == CONTEXT_LENGTH_EXCEEDED:
        return ApiFailure(message=message, type="invalid_request_error", param="messages", code=code)
    return ApiFailure(message=message, type="server_error", param=None, code=code)


def chat_status(error: ApiFailure) -> int:
    """Return the HTTP status for this error. An overflow is a 400, or clients would retry it."""
    return _REFUSED if error.code == CONTEXT_LENGTH_EXCEEDED else _FAILED


def chat_error_of(last: Event) -> ApiFailure | None:
    """Return None if the turn completed."""
    if last.kind == events.DONE:
        return None
    data = last.data
    if last.kind == events.CANCELLED:
        return chat_error("cancelled", data.get("message") or "The request was cancelled.")
    return chat_error(_api_code(data["code"]), data["message"])


def _api_code(code: str) -> str:
    return CONTEXT_LENGTH_EXCEEDED if code == "context_overflow" else code
