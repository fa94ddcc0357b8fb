"""The catalogue on disk: a JSON file in the home folder. It is a cache, so a file that is broken counts as none."""

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
    """What one provider said when it was last asked with success."""

    # The mark of the settings that it was asked with.
    mark: str
    # When, in Unix seconds.
    at: float
    entries: tuple[ModelEntry, ...]


class CatalogueFile:
    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> dict[str, Listing]:
        """Return the listings by provider; none of a file that is missing, unreadable or not understood."""
        try:
            content = json.loads(self._path.read_bytes())
            if content["version"] != _VERSION:
                return {}
            return {str(name): _listing(str(name), told) for name, told in content["providers"].items()}
        except (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError):
            return {}

    def write(self, listings: Mapping[str, Listing]) -> None:
        """Replace the file at once and as a whole. Raises OSError."""
        content = {"version": _VERSION, "providers": {name: _told(listing) for name, listing in listings.items()}}
        # mkstemp makes it for its owner only.
        number, draft = tempfile.mkstemp(prefix=f".{self._path.name}.", dir=self._path.parent)
        try:
            with os.fdopen(number, "w", encoding="utf-8") as file:
                json.dump(content, file)
            os.replace(draft, self._path)
        except BaseException:
            os.unlink(draft)
            raise


def _told(listing: Listing) -> dict[str, Any]:
    models = [{"name": entry.name, "created": entry.created, "owned_by": entry.owned_by} for entry in listing.entries]
    return {"mark": listing.mark, "at": listing.at, "models": models}


def _listing(provider: str, told: Mapping[str, Any]) -> Listing:
    entries = tuple(
        ModelEntry.of(provider, str(model["name"]), created=int(model["created"]), owned_by=str(model["owned_by"]))
        for model in told["models"]
    )
    return Listing(str(told["mark"]), float(told["at"]), entries)
