"""The catalogue on disk."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wakeful.agent.models.entry import ModelEntry
from wakeful.agent.models.facts import ModelFacts
from wakeful.agent.models.json_file import read_json, write_json

_VERSION = 2


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
        """Return the listings by provider."""
        return read_json(self._path, _VERSION, _decode) or {}

    def write(self, listings: Mapping[str, Listing]) -> None:
        """Raises OSError."""
        providers = {name: _encode_listing(listing) for name, listing in listings.items()}
        write_json(self._path, _VERSION, {"providers": providers})


def _encode_listing(listing: Listing) -> dict[str, Any]:
    return {"mark": listing.mark, "at": listing.at, "models": [_encode_entry(entry) for entry in listing.entries]}


def _encode_entry(entry: ModelEntry) -> dict[str, Any]:
    facts = {name: value for name, value in asdict(entry.facts).items() if value is not None}
    return {"name": entry.name, "created": entry.created, "owned_by": entry.owned_by, "facts": facts}


def _decode(content: Mapping[str, Any]) -> dict[str, Listing]:
    return {str(name): _decode_listing(str(name), listing) for name, listing in content["providers"].items()}


def _decode_listing(provider: str, listing: Mapping[str, Any]) -> Listing:
    entries = tuple(_decode_entry(provider, model) for model in listing["models"])
    return Listing(str(listing["mark"]), float(listing["at"]), entries)


def _decode_entry(provider: str, model: Mapping[str, Any]) -> ModelEntry:
    name, created, owner = str(model["name"]), int(model["created"]), str(model["owned_by"])
    return ModelEntry.of(provider, name, created=created, owned_by=owner, facts=ModelFacts(**model["facts"]))
