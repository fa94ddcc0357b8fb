"""Fields that requests to the web routes share, with their limits, and the functions that read requests."""

from pathlib import Path
from typing import Annotated, Literal, TypeAlias, TypeVar

from msgspec import Meta
from starlette.requests import Request

from wakeful.model.approvals.mode import Mode
from wakeful.wire.body import read_object
from wakeful.wire.declared import Incoming, among, says, words
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


# Chosen by the server or by the client.
Id: TypeAlias = Annotated[str, Meta(min_length=1, max_length=200, pattern=_NO_NUL)]
# For queries, where an empty text means none.
MaybeId: TypeAlias = Annotated[str, Meta(max_length=200, pattern=_NO_NUL)]
SearchWords: TypeAlias = Annotated[
    str, Meta(max_length=500, pattern=_NO_NUL), says("{} must be a search text of at most 500 characters.")
]
MessageText: TypeAlias = Annotated[str, Meta(pattern="\\S"), says("{} must be a non-empty text.")]
Title: TypeAlias = Annotated[
    str,
    Meta(extra_json_schema={"maxLength": _TITLE_LIMIT, "pattern": _NO_NUL}),
    says(f"{{}} must be a text of at most {_TITLE_LIMIT} characters.", check=_is_title),
]
ModeName: TypeAlias = Annotated[str, among(mode.value for mode in Mode)]
ModelId: TypeAlias = Annotated[
    str,
    Meta(extra_json_schema={"pattern": "^[^\\u0000]*[^\\u0000\\s][^\\u0000]*$"}),
    says("{} must be provider:model, as in demo:wakeful.", check=_is_model),
]
Folder: TypeAlias = Annotated[
    str,
    words("The absolute path of an existing folder."),
    says("{} must be the absolute path of an existing folder.", check=_is_folder),
]


class OfSession(Incoming):
    session_id: Annotated[Id, words("The id of a session.")]


class DoorHeader(Incoming, rename={"door": "X-Wakeful-Door"}):
    door: Annotated[Literal["ask", "terminal", "web"], words("Which client this is; `web` by default.")] = "web"


def clamped(low: int, high: int) -> Meta:
    """Annotate a number that is moved into this range instead of being refused."""
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
