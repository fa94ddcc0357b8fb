"""Reads request bodies within two limits: one per body, and one for all bodies in memory at the same time."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import orjson
from starlette.requests import Request

from wakeful.wire.errors import BodyTooLarge, InvalidRequest

_KIB = 1024
# The server buffers this much of every request anyway; only larger bodies reserve room.
_SMALL = 64 * _KIB
# How many levels deeper than in the body a value may end up, in a row or in an event.
_EXTRA_LEVELS = 20


async def read_object(request: Request, *, kib: int, may_be_empty: bool = True) -> dict[str, Any]:
    """Return the body as a JSON object. With `may_be_empty` an empty body reads as {}.

    Raises InvalidRequest, or BodyTooLarge beyond `kib` KiB.
    """
    async with whole_body(request, kib * _KIB) as body:
        try:
            given = {} if may_be_empty and not body.strip() else orjson.loads(body)
        except orjson.JSONDecodeError as error:
            raise InvalidRequest(f"The body must be JSON in UTF-8: {error}.") from error
    if not isinstance(given, dict):
        raise InvalidRequest("The body must be a JSON object.")
    require_shallow(given)
    return given


def require_shallow(given: Any) -> None:
    """Raise InvalidRequest for a body that orjson can parse but could not write again once it is nested in a row or an
    event.
    """
    nested = given
    for _ in range(_EXTRA_LEVELS):
        nested = [nested]
    try:
        orjson.dumps(nested)
    except TypeError as error:
        raise InvalidRequest("The body is nested too deeply.") from error


@asynccontextmanager
async def whole_body(request: Request, limit: int) -> AsyncIterator[bytearray]:
    """Yield the body; parse it inside the block, while its room is reserved.

    Raises BodyTooLarge beyond `limit` bytes, and NoRoom when too many large bodies are being read.
    """
    size = _announced_size(request, limit)
    if size > limit:
        raise _too_large(limit)
    if size <= _SMALL:
        yield await _read(request, limit)
        return
    async with request.state.body_room.taken(size):
        yield await _read(request, limit)


def _announced_size(request: Request, limit: int) -> int:
    """Return the content length; a chunked body, whose length is unknown, counts as `limit` bytes."""
    length = request.headers.get("content-length", "")
    # Of the letters that a header can have, only ASCII digits are decimal.
    if length.isdecimal():
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
