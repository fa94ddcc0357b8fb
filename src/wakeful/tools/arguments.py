"""Reads the arguments of a call, which are what a model has written."""

from collections.abc import Mapping
from typing import Any

from wakeful.tools.base import Unusable

_MOST_DIGITS = 18


def whole_number_in(arguments: Mapping[str, Any], name: str, least: int = 1, most: int | None = None) -> int | None:
    """Return the number, or None if it is left out. Raises Unusable if it is not a whole number in the range."""
    value = arguments.get(name)
    if value is None:
        return None
    # Models sometimes write numbers as text.
    if isinstance(value, str) and value.isdecimal() and len(value) <= _MOST_DIGITS:
        value = int(value)
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if not is_whole or value < least or (most is not None and value > most):
        end = "" if most is None else f" to {most:,}"
        raise Unusable(f"{name} must be a whole number from {least}{end}")
    return int(value)
