"""Errors in the form that the official clients read."""

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import Response

from wakeful.errors import WakefulError
from wakeful.wire.answer import JsonAnswer
from wakeful.wire.error_types import api_problem

# Without this header the official clients send a request again that got a 409.
NO_RETRY = {"x-should-retry": "false"}


class ApiError(WakefulError):
    """A refusal, with its HTTP status and the code that clients look at."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        param: str | None = None,
        headers: Mapping[str, str] | None = None,
        details: Mapping[str, str | None] | None = None,
    ) -> None:
        """`details` are further fields of the error object, for programs."""
        super().__init__(message)
        self.status = status
        self.code = code
        self.param = param
        self.headers = headers or {}
        self.details = details or {}


def invalid(param: str | None, message: str, code: str = "invalid_request") -> ApiError:
    """Return a 400. Requests that fit the schema and are refused all the same get a more specific code."""
    return ApiError(400, code, message, param=param)


async def answer_api_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, ApiError)
    problem = api_problem(error.status, error.code, str(error), error.param, **error.details)
    return JsonAnswer(problem, error.status, error.headers)
