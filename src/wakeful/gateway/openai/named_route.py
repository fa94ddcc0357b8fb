"""Routes with a name of the client's choice in their address."""

from urllib.parse import quote, unquote

from starlette.convertors import Convertor, register_url_convertor
from starlette.routing import Match, Route
from starlette.types import Scope


class NamedRoute(Route):
    """Found by the address as it was sent: a slash that was sent encoded is a part of the name, and ends nothing.
    Its parameters are of the kind `sent`, or `slashed`.
    """

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        return super().matches({**scope, "path": _sent_path(scope)})


class _Sent(Convertor[str]):
    regex = "[^/]+"

    def convert(self, value: str) -> str:
        return unquote(value)

    def to_string(self, value: str) -> str:
        return quote(value, safe="")


class _Slashed(_Sent):
    """Also with slashes that were sent as they are, as people type them; but not at its ends."""

    regex = "[^/]+(?:/[^/]+)*"


def _sent_path(scope: Scope) -> str:
    """Every letter that need not be encoded is as it is, or one address could be written in two ways."""
    raw: bytes = scope["raw_path"]
    return "/".join(quote(unquote(part), safe="") for part in raw.decode("ascii").split("/"))


register_url_convertor("sent", _Sent())
register_url_convertor("slashed", _Slashed())
