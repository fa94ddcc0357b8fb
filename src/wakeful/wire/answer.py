"""Answers as JSON, from their declared types."""

from typing import Any

import msgspec
from starlette.responses import Response


class JsonAnswer(Response):
    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return msgspec.json.encode(content)
