"""Routes whose path contains a name that the client has chosen."""

from urllib.parse import quote, unquote

from starlette.convertors import Convertor, register_url_convertor
from starlette.routing import Match, Route
from starlette.types import Scope


class NamedRoute(Route):
    """Matches the path before it is decoded, so an encoded slash is part of the name and does not end it. Its
    parameters use the convertors `sent` and `slashed`.
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
    """Also takes slashes that were not encoded, as people type them, except at either end."""

    regex = "[^/]+(?:/[^/]+)*"


def _sent_path(scope: Scope) -> str:
    """Return the raw path with one encoding for every character: clients may encode more than they must."""
    raw: bytes = scope["raw_path"]
    return "/".join(quote(unquote(part), safe="") for part in raw.decode("ascii").split("/"))


register_url_convertor("sent", _Sent())
register_url_convertor("slashed", _Slashed())
