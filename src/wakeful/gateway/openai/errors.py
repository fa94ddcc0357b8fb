"""Errors as the official clients read them."""

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import Response

from wakeful.errors import WakefulError
from wakeful.wire.answer import JsonAnswer
from wakeful.wire.error_types import api_problem


class ApiError(WakefulError):
    """The request cannot be done."""

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
        """`details` stand in the error beside its sentence, for programs."""
        super().__init__(message)
        self.status = status
        self.code = code
        self.param = param
        self.headers = headers or {}
        self.details = details or {}


def invalid(param: str | None, message: str, code: str = "invalid_request") -> ApiError:
    """What breaks the document has the one code; what the document cannot know has another."""
    return ApiError(400, code, message, param=param)


async def answer_api_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, ApiError)
    problem = api_problem(error.status, error.code, str(error), error.param, **error.details)
    return JsonAnswer(problem, error.status, error.headers)
