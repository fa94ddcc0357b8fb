"""Parses the tables [[hooks]] of config.toml."""

from collections.abc import Mapping
from typing import Any

from wakeful.config.values import Unfit
from wakeful.errors import ConfigError
from wakeful.gateway.hooks.hook import Hook, SignatureScheme
from wakeful.model.schedules.schedule import ScheduleError
from wakeful.model.schedules.target import parse_target
from wakeful.model.session import Address

_NEEDED = {"name", "secret", "signature", "message"}
_TEXTS = _NEEDED | {"deliver"}
_FORM = (
    "tables [[hooks]] in config.toml, each with the texts name, secret, signature (standard or github) and message, "
    "and if you like the text deliver and the list events"
)


def read_hooks(value: object) -> tuple[Hook, ...]:
    """Raises ConfigError for a wrong value inside a hook, with a message that shows no secret."""
    if not isinstance(value, list) or not all(map(_is_hook, value)):
        raise Unfit(_FORM)
    hooks = tuple(map(_hook, value))
    # A name is part of an address, and some senders write addresses in lower case.
    if len({hook.name.lower() for hook in hooks}) < len(hooks):
        raise Unfit("a different name for each hook, also without regard to case")
    return hooks


def _is_hook(table: object) -> bool:
    if not isinstance(table, dict) or not _NEEDED <= set(table) <= _TEXTS | {"events"}:
        return False
    events = table.get("events", [])
    texts = [*(table[name] for name in _TEXTS & set(table)), *(events if isinstance(events, list) else [None])]
    return all(isinstance(text, str) for text in texts)


def _hook(table: Mapping[str, Any]) -> Hook:
    name = table["name"]
    try:
        scheme = SignatureScheme(table["signature"])
    except ValueError:
        raise ConfigError(f"The signature of the hook {name!r} must be standard or github.") from None
    events = frozenset(table.get("events", ()))
    return Hook(name, table["secret"], scheme, table["message"], _target(name, table.get("deliver", "")), events)


def _target(name: str, given: str) -> Address | None:
    try:
        return parse_target(given) if given else None
    except ScheduleError as error:
        raise ConfigError(f"The hook {name!r} cannot deliver there: {error}") from None
