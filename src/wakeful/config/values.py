"""Parsers of settings. Each takes a text from the environment or a TOML value and returns the value to use, or raises
Unfit.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from wakeful.errors import ConfigError
from wakeful.gateway.webhooks.endpoint import EVENT_TYPES, WebhookEndpoint

# The owner of the local key; no other key may have this name.
OPERATOR = "operator"

_NAME_LIMIT = 64
_SHORTEST_PASSWORD = 8
# Guesses are not rate-limited: only the length protects a key.
_SHORTEST_KEY = 16


class Unfit(Exception):
    """A setting does not take this value. The message completes "must be …"."""


def unknown_field(table: str, name: str, fields: Iterable[str]) -> ConfigError:
    """In TOML a setting that follows a table belongs to it, which is easily overlooked."""
    listed = ", ".join(fields)
    return ConfigError(
        f"{table} has an unknown field {name}: the fields are {listed}. Settings of the server stand above all tables."
    )


Read = Callable[[object], Any]
N = TypeVar("N", int, float)


def text(value: object) -> str:
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise Unfit("a text")
    return value.strip()


def whole_number(low: int, high: int) -> Read:
    def read(value: object) -> int:
        number = _number(value, int)
        if number is None or not low <= number <= high:
            raise Unfit(f"a whole number from {low} to {high}")
        return number

    return read


def seconds(low: float, high: float) -> Read:
    return _amount("seconds", low, high)


def days(low: float, high: float) -> Read:
    return _amount("days", low, high)


def dollars(low: float, high: float) -> Read:
    return _amount("US dollars", low, high)


def part(low: float, high: float) -> Read:
    def read(value: object) -> float:
        number = _number(value, float)
        if number is None or not low <= number <= high:
            raise Unfit(f"a number from {low:g} to {high:g}")
        return number

    return read


def one_of(*names: str) -> Read:
    def read(value: object) -> str:
        if not isinstance(value, str) or value.strip().lower() not in names:
            raise Unfit(f"one of {', '.join(names)}")
        return value.strip().lower()

    return read


def yes_or_no(value: object) -> bool:
    known = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    is_yes = value if isinstance(value, bool) else known.get(str(value).strip().lower())
    if is_yes is None:
        raise Unfit("true or false")
    return is_yes


def model(value: object) -> str:
    provider, _, name = value.partition(":") if isinstance(value, str) else ("", "", "")
    if not provider.strip() or not name.strip():
        raise Unfit("provider:model, as in demo:wakeful or openai:gpt-5")
    return text(value)


def timezone(value: object) -> str:
    # Imported here: it takes some milliseconds, and few operators set a zone.
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(text(value)).key
    except (Unfit, KeyError, ValueError, OSError):
        raise Unfit("the name of a time zone, as in Europe/Berlin or UTC") from None


def folder(value: object) -> Path:
    try:
        path = Path(text(value)).expanduser()
        if path.is_absolute() and path.is_dir():
            return path
    except (Unfit, RuntimeError, OSError):
        pass
    raise Unfit("the absolute path of a folder that exists and can be read")


def folders(value: object) -> tuple[Path, ...]:
    given = value.split(",") if isinstance(value, str) else value
    try:
        if isinstance(given, list):
            return tuple(folder(one) for one in given)
    except Unfit:
        pass
    raise Unfit("absolute paths of folders that exist and can be read, as in /srv/notes,/srv/site")


def ids(value: object) -> frozenset[str]:
    """Read user ids, or * for everybody."""
    given = value.split(",") if isinstance(value, str) else value
    if not isinstance(given, list) or not all(isinstance(one, str | int) and str(one).strip() for one in given):
        raise Unfit("user ids, as in 12345,67890, or * for everybody")
    return frozenset(str(one).strip() for one in given)


def secret(value: object) -> str:
    """Parse a key that can be sent in a header."""
    if not isinstance(value, str) or not _is_key(value.strip()):
        raise Unfit("a key of visible ASCII characters")
    return value.strip()


def password(value: object) -> str:
    if not isinstance(value, str) or len(value) < _SHORTEST_PASSWORD or not value.isprintable():
        raise Unfit(f"a text of at least {_SHORTEST_PASSWORD} characters")
    return value


def api_keys(value: object) -> dict[str, str]:
    keys: dict[str, str] = {}
    for name, key in _pairs(value):
        if not _is_name(name) or not _is_key(key):
            raise Unfit("pairs of a name (letters, digits, . _ -) and a key (visible ASCII), as in laptop=…,ci=…")
        if name == OPERATOR:
            raise Unfit(f"names other than {OPERATOR}, which is the holder of the local key")
        if name in keys or key in keys.values():
            raise Unfit("a different name and a different key for everyone")
        if len(key) < _SHORTEST_KEY:
            raise Unfit(
                f"pairs of a name and a key of at least {_SHORTEST_KEY} characters, and that of {name} is shorter: "
                "make one with `wakeful key --new`"
            )
        keys[name] = key
    return keys


def variable_names(value: object) -> tuple[str, ...]:
    return items(value, _is_variable, "names of environment variables, as in CUDA_HOME,GIT_AUTHOR_NAME")


def items(value: object, fits: Callable[[str], bool], wanted: str) -> tuple[str, ...]:
    """Read a list of TOML, or a text with commas; `wanted` is the message of Unfit."""
    given = value.split(",") if isinstance(value, str) else value
    if not isinstance(given, list) or not all(isinstance(one, str) and fits(one.strip()) for one in given):
        raise Unfit(wanted)
    return tuple(one.strip() for one in given)


def webhooks(value: object) -> tuple[WebhookEndpoint, ...]:
    """Raises ConfigError for a wrong value inside a webhook, with a message that shows none of them."""
    if not isinstance(value, list) or not all(map(_is_webhook, value)):
        raise Unfit("tables [[webhooks]] in config.toml, each with the texts url, secret and owner and the list events")
    endpoints = tuple(_webhook(table) for table in value)
    if len({endpoint.key for endpoint in endpoints}) < len(endpoints):
        raise Unfit("a different url for each webhook of one owner")
    return endpoints


def _is_webhook(table: object) -> bool:
    if not isinstance(table, dict) or not {"url", "secret"} <= set(table) <= {"url", "secret", "owner", "events"}:
        return False
    events = table.get("events", [])
    texts = [table["url"], table["secret"], table.get("owner", ""), *(events if isinstance(events, list) else [None])]
    return all(isinstance(text, str) for text in texts)


def _webhook(table: Mapping[str, Any]) -> WebhookEndpoint:
    events = tuple(table.get("events", EVENT_TYPES))
    return WebhookEndpoint(table["url"], table["secret"], events, table.get("owner", OPERATOR))


def _amount(unit: str, low: float, high: float) -> Read:
    def read(value: object) -> float:
        number = _number(value, float)
        if number is None or not low <= number <= high:
            raise Unfit(f"a number of {unit} from {low:g} to {high:.0f}")
        return number

    return read


def _number(value: object, kind: Callable[[str], N]) -> N | None:
    """Return None if the value is not a number of this kind, such as TOML's true, which is an int in Python."""
    with suppress(ValueError, OverflowError):
        number = kind(str(value))
        return number if math.isfinite(number) else None
    return None


def _pairs(value: object) -> list[tuple[str, str]]:
    if isinstance(value, Mapping):
        return [(str(name), key if isinstance(key, str) else "") for name, key in value.items()]
    if not isinstance(value, str):
        raise Unfit("a table of names and keys")
    parts = [part.partition("=") for part in value.split(",") if part.strip()]
    return [(name.strip(), key.strip()) for name, _, key in parts]


def _is_name(name: str) -> bool:
    letters = name.replace(".", "").replace("_", "").replace("-", "")
    return letters.isascii() and letters.isalnum() and len(name) <= _NAME_LIMIT


def _is_key(key: str) -> bool:
    return bool(key) and key.isascii() and key.isprintable() and " " not in key


def _is_variable(name: str) -> bool:
    return name.isascii() and name.isidentifier()
