"""The bodies of the OpenAI-compatible API."""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request

from wakeful.wire.body import read_object

_BODY_KIB = 16 * 1024

Body = Mapping[str, Any]


async def read_api_body(request: Request) -> Body:
    """Raises InvalidRequest."""
    return await read_object(request, kib=_BODY_KIB, may_be_empty=False)
