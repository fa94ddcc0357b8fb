"""The one format in which a model reads that a tool failed."""

from typing import Any

import orjson


def failure_text(code: str, sentence: str, **fields: Any) -> str:
    """Return the JSON text of a failed call: `error` and `code` come first, then the tool's own fields."""
    return orjson.dumps({"error": sentence, "code": code, **fields}).decode()


def failure_sentence(text: str) -> str:
    """Return what a person reads of a failed call: its sentence, or the whole text if it has another format."""
    try:
        failure = orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    sentence = failure.get("error") if isinstance(failure, dict) else None
    return sentence if isinstance(sentence, str) else text
