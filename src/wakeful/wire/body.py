"""The JSON object in a request's body."""

from typing import Any

import orjson
from starlette.requests import Request

from wakeful.wire.errors import BodyTooLarge, InvalidRequest

_KIB = 1024


async def read_object(request: Request, *, kib: int) -> dict[str, Any]:
    """An empty body is an empty object. Raises InvalidRequest, or BodyTooLarge beyond so many KiB."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > kib * _KIB:
            raise BodyTooLarge(f"The body must not be larger than {_size(kib)}.")
    try:
        fields = orjson.loads(body) if body.strip() else {}
    except orjson.JSONDecodeError as error:
        raise InvalidRequest(f"The body must be JSON in UTF-8: {error}.") from error
    if not isinstance(fields, dict):
        raise InvalidRequest("The body must be a JSON object.")
    return fields


def _size(kib: int) -> str:
    return f"{kib // _KIB} MiB" if kib >= _KIB else f"{kib} KiB"
