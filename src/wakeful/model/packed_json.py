"""JSON for objects that stay in memory."""

from typing import Any

import orjson


def pack(data: Any) -> bytes:
    """Encode as JSON, in a copy of just its length: the bytes that orjson returns hold on to at least 4 KB."""
    return b"%b" % orjson.dumps(data)
