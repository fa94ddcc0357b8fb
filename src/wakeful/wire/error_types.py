"""The two shapes of an error response: OpenAI's, under /v1, and that of all other routes."""

from typing import Annotated, Literal

from msgspec import UNSET, UnsetType

from wakeful.wire.declared import Outgoing, words

# A sentence may quote what a client sent, which may be megabytes.
_LONGEST_SENTENCE = 1_000


def short_sentence(message: str) -> str:
    """Return a message without the middle of a value that it quotes, if that is very long."""
    if len(message) <= _LONGEST_SENTENCE:
        return message
    half = _LONGEST_SENTENCE // 2
    return f"{message[:half]} … {message[-half:]}"


class ApiFailure(Outgoing):
    message: str
    type: Literal["invalid_request_error", "rate_limit_error", "server_error"]
    param: Annotated[str | None, words("Such as `tools[0].name`.")] = None
    code: str
    latest_completed_response_id: str | UnsetType | None = UNSET
    active_response_id: Annotated[
        str | UnsetType | None, words("With `conversation_response_not_completed`: what the conversation waits for.")
    ] = UNSET


class ApiProblem(Outgoing):
    error: ApiFailure


class Failure(Outgoing):
    code: str
    message: str
    active_stream_id: Annotated[str | UnsetType | None, words("With `session_busy`: the turn that runs.")] = UNSET


class Problem(Outgoing):
    error: Failure


def api_problem(status: int, code: str, message: str, param: str | None = None, **details: str | None) -> ApiProblem:
    kind: Literal["invalid_request_error", "rate_limit_error", "server_error"] = "invalid_request_error"
    if status >= 500:
        kind = "server_error"
    elif status == 429:
        kind = "rate_limit_error"
    return ApiProblem(error=ApiFailure(message=short_sentence(message), type=kind, param=param, code=code, **details))
