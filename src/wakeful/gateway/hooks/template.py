"""Fills the template of a hook's message with fields of the payload that was posted."""

import re
from typing import Any

import orjson

_FIELD = re.compile(r"\{([^{}\s]+)\}")
_WHOLE = "payload"
_LONGEST_PAYLOAD = 4000


def filled(template: str, payload: Any) -> str:
    """Replace each `{a.b.0}` by that field of the payload, or by nothing if it has none, and `{payload}` by all of it.
    Braces in the values stay as they are.
    """

    def value(found: re.Match[str]) -> str:
        if found[1] == _WHOLE:
            return _text(payload)[:_LONGEST_PAYLOAD]
        return _text(_field(payload, found[1]))

    return _FIELD.sub(value, template)


def _field(payload: Any, path: str) -> Any:
    """Return the value at a path of names and indexes; None where the path leads nowhere."""
    found = payload
    for step in path.split("."):
        if isinstance(found, dict):
            found = found.get(step)
        elif isinstance(found, list) and step.isascii() and step.isdecimal() and int(step[:9]) < len(found):
            found = found[int(step[:9])]
        else:
            return None
    return found


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else orjson.dumps(value).decode()
