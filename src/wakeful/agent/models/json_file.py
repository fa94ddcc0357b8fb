"""A JSON file in the home folder. It is a cache, so a broken file counts as missing."""

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


def read_json(path: Path, version: int, decode: Callable[[Any], T]) -> T | None:
    """Return None if the file is missing, unreadable, malformed or of another version."""
    try:
        content = json.loads(path.read_bytes())
        return decode(content) if content["version"] == version else None
    except (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError):
        return None


def write_json(path: Path, version: int, content: dict[str, Any]) -> None:
    """Replace the file atomically. Raises OSError."""
    # mkstemp creates a file that only its owner can read.
    number, draft = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(number, "w", encoding="utf-8") as file:
            json.dump({"version": version, **content}, file)
        os.replace(draft, path)
    except BaseException:
        os.unlink(draft)
        raise
