"""Reading a body by hand: strict types, one sentence for what is wrong, and the name of the parameter."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from starlette.requests import Request

from wakeful.gateway.openai.errors import ApiError, invalid
from wakeful.wire.body import whole_body
from wakeful.wire.errors import BodyTooLarge

_BODY_LIMIT = 16 * 1024 * 1024
# How many levels deeper than in the body a value may end up.
_ROOM = 20

Body = Mapping[str, Any]


async def read_body(request: Request) -> Body:
    try:
        async with whole_body(request, _BODY_LIMIT) as body:
            given = orjson.loads(body)
    except BodyTooLarge as error:
        raise ApiError(413, "request_too_large", str(error)) from error
    except orjson.JSONDecodeError as error:
        raise invalid(None, f"The body must be JSON in UTF-8: {error}.") from error
    if not isinstance(given, dict):
        raise invalid(None, "The body must be a JSON object.")
    _require_shallow(given)
    return given


def _require_shallow(given: Body) -> None:
    """JSON can be read more deeply nested than it can be written, and what is stored and sent lies deeper still."""
    nested: Any = given
    for _ in range(_ROOM):
        nested = [nested]
    try:
        orjson.dumps(nested)
    except TypeError as error:
        raise invalid(None, "The body is nested too deeply.") from error


def text(body: Body, name: str, *, limit: int = 1_000_000, inside: str = "") -> str | None:
    """`inside` is where the object stands in the body, for the name of the parameter; so it is in all of these."""
    value = body.get(name)
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > limit:
        raise _unfit(name, inside, f"a text of at most {limit} characters")
    return value


def flag(body: Body, name: str, default: bool, *, inside: str = "") -> bool:
    value = body.get(name)
    if value is None:
        return default
    if not isinstance(value, bool):
        raise _unfit(name, inside, "true or false")
    return value


def number(body: Body, name: str, low: float, high: float, *, inside: str = "") -> float | None:
    value = body.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise _unfit(name, inside, f"a number from {low:g} to {high:g}")
    return value


def whole_number(body: Body, name: str, low: int, high: int) -> int | None:
    value = body.get(name)
    if value is None:
        return None
    if isinstance(value, float) and value.is_integer():
        # In JSON 1.0 is a whole number.
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise _unfit(name, "", f"a whole number from {low} to {high}")
    return value


def one_of(body: Body, name: str, choices: Sequence[str], *, inside: str = "") -> str | None:
    value = body.get(name)
    if value is None:
        return None
    if not isinstance(value, str) or value not in choices:
        raise _unfit(name, inside, f"one of {', '.join(choices)}")
    return value


def mapping(body: Body, name: str, *, inside: str = "") -> Mapping[str, Any] | None:
    value = body.get(name)
    if value is not None and not isinstance(value, dict):
        raise _unfit(name, inside, "an object")
    return value


def entries(body: Body, name: str, *, inside: str = "") -> list[Any] | None:
    value = body.get(name)
    if value is not None and not isinstance(value, list):
        raise _unfit(name, inside, "a list")
    return value


def metadata(body: Body) -> Mapping[str, str] | None:
    value = mapping(body, "metadata")
    if value is None:
        return None
    is_fit = len(value) <= 16 and all(
        isinstance(entry, str) and len(key) <= 64 and len(entry) <= 512 for key, entry in value.items()
    )
    if not is_fit:
        raise invalid("metadata", "metadata must have at most 16 texts of at most 512 characters, under short keys.")
    return value


def _unfit(name: str, inside: str, what: str) -> ApiError:
    where = f"{inside}.{name}" if inside else name
    return invalid(where, f"{where} must be {what}.")
