"""What a request says, checked by hand: each reader returns the value or raises InvalidRequest with one sentence."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from starlette.requests import Request

from wakeful.wire.body import read_object
from wakeful.wire.errors import InvalidRequest

_BODY_KIB = 4 * 1024
_ID_LIMIT = 200
_TITLE_LIMIT = 200
_WORDS_LIMIT = 500

Fields = Mapping[str, Any]


async def read_body(request: Request) -> Fields:
    return await read_object(request, kib=_BODY_KIB)


def identifier(fields: Fields, name: str) -> str:
    """A name that we, or the client, have given to something."""
    value = fields.get(name)
    if not isinstance(value, str) or not 0 < len(value) <= _ID_LIMIT or "\0" in value:
        raise InvalidRequest(f"{name} must be a text of 1 to {_ID_LIMIT} characters.")
    return value


def message_text(fields: Fields, name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or not value.strip():
        raise InvalidRequest(f"{name} must be a text that is not empty.")
    return value


def title(fields: Fields) -> str:
    value = fields["title"]
    if not isinstance(value, str) or len(value.strip()) > _TITLE_LIMIT or "\0" in value:
        raise InvalidRequest(f"title must be a text of at most {_TITLE_LIMIT} characters.")
    return value.strip()


def model(fields: Fields) -> str:
    value = fields["model"]
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise InvalidRequest("model must be provider:model, as in demo:wakeful.")
    return value.strip()


def folder(fields: Fields, name: str) -> str:
    value = fields[name]
    if isinstance(value, str) and "\0" not in value and Path(value).is_absolute() and _is_folder(value):
        return value
    raise InvalidRequest(f"{name} must be the absolute path of a folder that is there.")


def one_of(fields: Fields, name: str, choices: Collection[str]) -> str:
    value = fields.get(name)
    if value not in choices:
        raise InvalidRequest(f"{name} must be one of {', '.join(choices)}.")
    return str(value)


def number(query: Fields, name: str, default: int, low: int, high: int) -> int:
    """A whole number in the query; one that is out of range is moved to its end."""
    value = query.get(name, "")
    if not value:
        return default
    digits = value.removeprefix("-")
    if not digits.isascii() or not digits.isdecimal():
        raise InvalidRequest(f"{name} must be a whole number.")
    # Longer ones are out of every range, and slow to read.
    return max(low, min(high, int(value[:20])))


def whole(fields: Fields, name: str) -> int:
    value = fields.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 53:
        raise InvalidRequest(f"{name} must be a whole number, 0 or more.")
    return value


def switch(fields: Fields, name: str) -> bool:
    value = fields.get(name)
    if not isinstance(value, bool):
        raise InvalidRequest(f"{name} must be true or false.")
    return value


def flag(query: Fields, name: str) -> bool:
    """Yes or no in a query; left out, it is no."""
    value = query.get(name, "")
    if value not in ("", "0", "1", "true", "false"):
        raise InvalidRequest(f"{name} must be true or false.")
    return value in ("1", "true")


def words(query: Fields, name: str) -> str:
    value: str = query.get(name, "")
    if "\0" in value or len(value) > _WORDS_LIMIT:
        raise InvalidRequest(f"{name} must be words to look for, {_WORDS_LIMIT} characters at most.")
    return value.strip()


def has(fields: Fields, name: str) -> bool:
    """Whether it is given at all: null counts as left out."""
    return fields.get(name) is not None


def _is_folder(path: str) -> bool:
    try:
        return Path(path).is_dir()
    except OSError:
        return False
