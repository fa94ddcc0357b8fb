"""Parses the tables [models."provider:model"] of config.toml, and lists of models."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from wakeful.agent.models.facts import ModelFacts
from wakeful.config import values
from wakeful.config.values import Unfit
from wakeful.errors import ConfigError

_MOST_TOKENS = 1_000_000_000
_MOST_USD = 1_000_000.0

_FACTS: dict[str, Callable[[object], Any]] = {
    "context_window": values.whole_number(1, _MOST_TOKENS),
    "max_output": values.whole_number(1, _MOST_TOKENS),
    "vision": values.yes_or_no,
    "input_price": values.dollars(0, _MOST_USD),
    "cached_price": values.dollars(0, _MOST_USD),
    "cache_write_price": values.dollars(0, _MOST_USD),
    "output_price": values.dollars(0, _MOST_USD),
}
_FIELDS = (*_FACTS, "options")


@dataclass(frozen=True, slots=True)
class ModelTable:
    facts: ModelFacts
    # Fields for the body of every request, as the model's endpoint takes them.
    options: Mapping[str, Any] = field(default_factory=dict)


def read_models(value: object) -> dict[str, ModelTable]:
    """Return the tables by the model's full name. Raises ConfigError for a wrong value inside a table."""
    if not isinstance(value, Mapping):
        raise Unfit('tables [models."provider:model"] in config.toml')
    return {_name(name): _read_table(name, table) for name, table in value.items()}


def read_model_names(value: object) -> tuple[str, ...]:
    names = value.split(",") if isinstance(value, str) else value
    if not isinstance(names, list):
        raise Unfit("a list of models, as in openai:gpt-5,demo:wakeful")
    return tuple(values.model(name) for name in names)


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
            raise values.unknown_field(f'[models."{name}"]', key, _FIELDS)
    options = table.get("options", {})
    if not isinstance(options, Mapping):
        raise ConfigError(f'options in [models."{name}"] must be a table.')
    return ModelTable(_read_facts(name, table), options)


def _read_facts(name: str, table: Mapping[str, object]) -> ModelFacts:
    facts = ModelFacts(**{fact: _read(name, fact, table[fact]) for fact in _FACTS if fact in table})
    if (facts.input_price is None) != (facts.output_price is None):
        raise ConfigError(f'[models."{name}"] needs both input_price and output_price, or neither.')
    return facts


def _read(name: str, fact: str, given: object) -> Any:
    try:
        return _FACTS[fact](given)
    except Unfit as unfit:
        raise ConfigError(f'{fact} in [models."{name}"] must be {unfit}, not {given!r}.') from None
