"""The body of a request, within bounds: its own, and those of all that are read at the same time."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import orjson
from starlette.requests import Request

from wakeful.wire.errors import BodyTooLarge, InvalidRequest

_KIB = 1024
# The server holds so much of every request anyway; only what is larger needs room.
_SMALL = 64 * _KIB
# How many levels deeper than in the body a value may end up.
_ROOM = 20


async def read_object(request: Request, *, kib: int, may_be_empty: bool = True) -> dict[str, Any]:
    """`may_be_empty`: then it is an empty object. Raises InvalidRequest, or BodyTooLarge beyond so many KiB."""
    async with whole_body(request, kib * _KIB) as body:
        try:
            given = {} if may_be_empty and not body.strip() else orjson.loads(body)
        except orjson.JSONDecodeError as error:
            raise InvalidRequest(f"The body must be JSON in UTF-8: {error}.") from error
    if not isinstance(given, dict):
        raise InvalidRequest("The body must be a JSON object.")
    _require_shallow(given)
    return given


def _require_shallow(given: dict[str, Any]) -> None:
    """JSON can be read more deeply nested than it can be written, and what is stored and sent lies deeper still."""
    nested: Any = given
    for _ in range(_ROOM):
        nested = [nested]
    try:
        orjson.dumps(nested)
    except TypeError as error:
        raise InvalidRequest("The body is nested too deeply.") from error


@asynccontextmanager
async def whole_body(request: Request, limit: int) -> AsyncIterator[bytearray]:
    """Yields the body, which is to be parsed inside. Raises BodyTooLarge beyond `limit` bytes, NoRoom when too many
    are read at the same time.
    """
    size = _announced(request, limit)
    if size > limit:
        raise _too_large(limit)
    if size <= _SMALL:
        yield await _read(request, limit)
        return
    async with request.state.body_room.taken(size):
        yield await _read(request, limit)


def _announced(request: Request, limit: int) -> int:
    """One that does not say how long it is may be as long as any."""
    length = request.headers.get("content-length", "")
    if length.isascii() and length.isdecimal():
        return int(length[:20])
    return limit if "transfer-encoding" in request.headers else 0


async def _read(request: Request, limit: int) -> bytearray:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > limit:
            raise _too_large(limit)
    return body


def _too_large(limit: int) -> BodyTooLarge:
    kib = limit // _KIB
    size = f"{kib // _KIB} MiB" if kib >= _KIB else f"{kib} KiB"
    return BodyTooLarge(f"The body must not be larger than {size}.")
