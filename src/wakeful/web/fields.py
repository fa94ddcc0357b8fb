"""The fields that requests of the page and the terminal have in common, with their limits, and how both are read."""

from pathlib import Path
from typing import Annotated, Literal, TypeAlias, TypeVar

from msgspec import Meta
from starlette.requests import Request

from wakeful.wire.body import read_object
from wakeful.wire.declared import Incoming, says, words
from wakeful.wire.reading import read, read_texts

_BODY_KIB = 4 * 1024
_TITLE_LIMIT = 200
_NO_NUL = "^[^\\u0000]*$"

T = TypeVar("T", bound=Incoming)


def _is_title(value: str) -> bool:
    return len(value.strip()) <= _TITLE_LIMIT and "\0" not in value


def _is_model(value: str) -> bool:
    return bool(value.strip()) and "\0" not in value


def _is_folder(value: str) -> bool:
    try:
        return "\0" not in value and Path(value).is_absolute() and Path(value).is_dir()
    except OSError:
        return False


# A name that we, or the client, have given to something.
Id: TypeAlias = Annotated[str, Meta(min_length=1, max_length=200, pattern=_NO_NUL)]
# The same in a query; empty: none.
MaybeId: TypeAlias = Annotated[str, Meta(max_length=200, pattern=_NO_NUL)]
SearchWords: TypeAlias = Annotated[
    str, Meta(max_length=500, pattern=_NO_NUL), says("{} must be words to look for, 500 characters at most.")
]
MessageText: TypeAlias = Annotated[str, Meta(pattern="\\S"), says("{} must be a text that is not empty.")]
Title: TypeAlias = Annotated[
    str,
    Meta(extra_json_schema={"maxLength": _TITLE_LIMIT, "pattern": _NO_NUL}),
    says(f"{{}} must be a text of at most {_TITLE_LIMIT} characters.", check=_is_title),
]
ModelId: TypeAlias = Annotated[
    str,
    Meta(extra_json_schema={"pattern": "^[^\\u0000]*[^\\u0000\\s][^\\u0000]*$"}),
    says("{} must be provider:model, as in demo:wakeful.", check=_is_model),
]
Folder: TypeAlias = Annotated[
    str,
    words("The absolute path of a folder that is there."),
    says("{} must be the absolute path of a folder that is there.", check=_is_folder),
]


class OfSession(Incoming):
    session_id: Annotated[Id, words("Which.")]


class DoorHeader(Incoming, rename={"door": "X-Wakeful-Door"}):
    door: Annotated[Literal["ask", "terminal", "web"], words("Which client this is; `web` where nothing is said.")] = (
        "web"
    )


def clamped(low: int, high: int) -> Meta:
    """A number that is out of range is moved to its end."""
    return says("{} must be a whole number.", clamped=(low, high))


async def read_body(request: Request, kind: type[T]) -> T:
    """Raises InvalidRequest."""
    return read(kind, await read_object(request, kib=_BODY_KIB))


def read_query(request: Request, kind: type[T]) -> T:
    """Raises InvalidRequest."""
    return read_texts(kind, request.query_params)


def read_headers(request: Request, kind: type[T]) -> T:
    """Raises InvalidRequest."""
    return read_texts(kind, request.headers)
