"""The one shape of a tool's failure, as the model reads it."""

from typing import Any

import orjson


def failure_text(code: str, sentence: str, **fields: Any) -> str:
    """Return the JSON text of a failed call: `error` and `code` come first, then the tool's own fields."""
    return orjson.dumps({"error": sentence, "code": code, **fields}).decode()


def failure_sentence(text: str) -> str:
    """What a person reads of a failed call: its sentence, or all of a text that has another shape."""
    try:
        told = orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    sentence = told.get("error") if isinstance(told, dict) else None
    return sentence if isinstance(sentence, str) else text
