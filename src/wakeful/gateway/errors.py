"""Errors as the HTTP client sees them: always the same JSON, whatever went wrong."""

from collections.abc import Mapping

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

_NAMED = {
    404: ("not_found", "There is nothing at this address."),
    405: ("method_not_allowed", "This address does not take this method."),
}


def error_response(status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"error": {"code": code, "message": message}}, status, headers)


async def answer_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code, message = _NAMED.get(error.status_code, ("request_failed", error.detail))
    return error_response(error.status_code, code, message, error.headers)


async def answer_broken(request: Request, error: Exception) -> Response:
    """The last resort; the server logs the traceback."""
    message = "Something broke inside the server; its log has the details."
    return error_response(500, "internal_error", message)
