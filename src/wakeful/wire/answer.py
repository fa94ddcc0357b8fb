"""JSON responses, encoded from declared types."""

from typing import Any

import msgspec
from starlette.responses import Response

from wakeful.wire.declared import Outgoing


class JsonAnswer(Response):
    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return msgspec.json.encode(content)


class Ok(Outgoing):
    # The answer of a route that returns no data.
    ok: bool = True
