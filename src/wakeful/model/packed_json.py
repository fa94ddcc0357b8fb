"""JSON that is kept for a while."""

from typing import Any

import orjson


def pack(data: Any) -> bytes:
    """As short as it looks: what orjson returns has room for 4 KB, however little is in it."""
    return b"%b" % orjson.dumps(data)
