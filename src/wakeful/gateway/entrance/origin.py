"""Checks that a write comes from our own page: browsers send the cookie whichever page asked for the write."""

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Scope

from wakeful.gateway.entrance.own_address import OwnAddress
from wakeful.wire.errors import error_response


def is_own_write(scope: Scope, address: OwnAddress) -> bool:
    headers = Headers(scope=scope)
    origins = headers.getlist("origin")
    if not origins:
        return headers.get("sec-fetch-site") == "same-origin"
    return len(origins) == 1 and address.is_origin(origins[0], headers.get("host", ""))


def is_foreign_write(scope: Scope, address: OwnAddress) -> bool:
    """Return whether a browser reports another page as the origin. Programs send no such header."""
    headers = Headers(scope=scope)
    return ("origin" in headers or "sec-fetch-site" in headers) and not is_own_write(scope, address)


def refuse_foreign_origin() -> Response:
    return error_response(403, "foreign_origin", "Only the page of this server may ask for that.")
