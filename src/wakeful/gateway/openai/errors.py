"""Errors as the official clients read them."""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from wakeful.errors import WakefulError

_KINDS = {429: "rate_limit_error"}


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
        details: Mapping[str, Any] | None = None,
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


def error_json(
    status: int, code: str, message: str, param: str | None = None, details: Mapping[str, Any] | None = None
) -> dict[str, object]:
    kind = "server_error" if status >= 500 else _KINDS.get(status, "invalid_request_error")
    return {"error": {"message": message, "type": kind, "param": param, "code": code, **(details or {})}}


async def answer_api_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, ApiError)
    body = error_json(error.status, error.code, str(error), error.param, error.details)
    return JSONResponse(body, error.status, dict(error.headers))
