"""The one shape of a tool's failure, as the model reads it."""

from typing import Any

import orjson


def failure_text(code: str, sentence: str, **fields: Any) -> str:
    """Return the JSON text of a failed call: `error` and `code` come first, then the tool's own fields."""
    return orjson.dumps({"error": sentence, "code": code, **fields}).decode()
