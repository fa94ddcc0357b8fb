"""The catalogue on disk: a JSON file in the home folder. It is a cache, so a broken file counts as missing."""

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wakeful.agent.models.entry import ModelEntry

_VERSION = 1


@dataclass(frozen=True, slots=True)
class Listing:
    """The models that one provider last listed."""

    # The mark of the settings with which the provider was asked.
    mark: str
    # When it was asked, in Unix seconds.
    at: float
    entries: tuple[ModelEntry, ...]


class CatalogueFile:
    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> dict[str, Listing]:
        """Return the listings by provider; empty if the file is missing, unreadable or malformed."""
        try:
            content = json.loads(self._path.read_bytes())
            if content["version"] != _VERSION:
                return {}
            return {str(name): _decode(str(name), entry) for name, entry in content["providers"].items()}
        except (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError):
            return {}

    def write(self, listings: Mapping[str, Listing]) -> None:
        """Replace the file atomically. Raises OSError."""
        content = {"version": _VERSION, "providers": {name: _encode(listing) for name, listing in listings.items()}}
        # mkstemp creates a file that only its owner can read.
        number, draft = tempfile.mkstemp(prefix=f".{self._path.name}.", dir=self._path.parent)
        try:
            with os.fdopen(number, "w", encoding="utf-8") as file:
                json.dump(content, file)
            os.replace(draft, self._path)
        except BaseException:
            os.unlink(draft)
            raise


def _encode(listing: Listing) -> dict[str, Any]:
    models = [{"name": entry.name, "created": entry.created, "owned_by": entry.owned_by} for entry in listing.entries]
    return {"mark": listing.mark, "at": listing.at, "models": models}


def _decode(provider: str, entry: Mapping[str, Any]) -> Listing:
    entries = tuple(
        ModelEntry.of(provider, str(model["name"]), created=int(model["created"]), owned_by=str(model["owned_by"]))
        for model in entry["models"]
    )
    return Listing(str(entry["mark"]), float(entry["at"]), entries)
