"""Encodes the bodies of requests."""

from collections.abc import Mapping
from typing import Any

import orjson

from wakeful.agent.providers.mended_text import mended


def encoded(body: Mapping[str, Any]) -> bytes:
    try:
        return orjson.dumps(body)
    except orjson.JSONEncodeError:
        # Some text contains half a surrogate pair. That is rare, so texts are checked only after a failure.
        return orjson.dumps(_mended_deep(body))


def with_options(body: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Add the operator's options to a body. They win, but objects are joined and lists of tools go on."""
    return dict(body) | {name: _joined(body.get(name), value) for name, value in options.items()}


def json_object(text: str) -> dict[str, Any] | None:
    """Return None if the text is not a JSON object."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None


def _joined(ours: Any, theirs: Any) -> Any:
    if isinstance(ours, dict) and isinstance(theirs, Mapping):
        return {**ours, **theirs}
    if isinstance(ours, list) and isinstance(theirs, list):
        return [*ours, *theirs]
    return theirs


def _mended_deep(value: Any) -> Any:
    if isinstance(value, str):
        return mended(value)
    if isinstance(value, dict):
        return {mended(key): _mended_deep(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_mended_deep(item) for item in value]
    return value
