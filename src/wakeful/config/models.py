"""Parses the tables [models."provider:model"] of config.toml."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wakeful.config import values
from wakeful.config.values import Unfit
from wakeful.errors import ConfigError

_FIELDS = ("options",)


@dataclass(frozen=True, slots=True)
class ModelTable:
    # Fields for the body of every request, as the model's endpoint takes them.
    options: Mapping[str, Any] = field(default_factory=dict)


def read_models(value: object) -> dict[str, ModelTable]:
    """Return the tables by the model's full name. Raises ConfigError for a wrong value inside a table."""
    if not isinstance(value, Mapping):
        raise Unfit('tables [models."provider:model"] in config.toml')
    return {_name(name): _read_table(name, table) for name, table in value.items()}


def _name(name: str) -> str:
    try:
        return values.model(name)
    except Unfit as unfit:
        raise ConfigError(f'The name of [models."{name}"] must be {unfit}.') from None


def _read_table(name: str, table: object) -> ModelTable:
    if not isinstance(table, Mapping):
        raise ConfigError(f'[models."{name}"] must be a table.')
    for key in table:
        if key not in _FIELDS:
            raise ConfigError(f'[models."{name}"] has an unknown field {key}: the fields are {", ".join(_FIELDS)}.')
    options = table.get("options", {})
    if not isinstance(options, Mapping):
        raise ConfigError(f'options in [models."{name}"] must be a table.')
    return ModelTable(options)
