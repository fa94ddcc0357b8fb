"""Answers as JSON, from their declared types."""

from typing import Any

import msgspec
from starlette.responses import Response

from wakeful.wire.declared import Outgoing


class JsonAnswer(Response):
    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return msgspec.json.encode(content)


class Ok(Outgoing):
    # Of a route that has nothing else to say.
    ok: bool = True
