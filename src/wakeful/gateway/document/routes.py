"""Serves the OpenAPI document: as JSON for programs, and as a page for people. Neither depends on who asks."""

from collections.abc import Callable, Sequence
from functools import cached_property
from importlib.resources import files

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wakeful.gateway.document.document import build_document
from wakeful.gateway.document.page import render_page
from wakeful.wire.openapi import Family

_PAGE_HEADERS = {
    # No scripts, and nothing from other origins.
    "content-security-policy": "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}


class DocumentRoutes:
    """Builds the document when it is first requested, since most servers are never asked for it.

    The handlers are synchronous: Starlette runs them on a thread, so building does not block the event loop.
    """

    def __init__(self, version: str, families: Callable[[], Sequence[Family]]) -> None:
        self._version = version
        self._families = families

    def routes(self) -> list[Route]:
        return [
            Route("/openapi.json", self.document, methods=["GET"]),
            Route("/docs", self.page, methods=["GET"]),
            Route("/docs/style.css", self.style, methods=["GET"]),
        ]

    def document(self, request: Request) -> Response:
        return Response(self._document, media_type="application/json")

    def page(self, request: Request) -> Response:
        return Response(self._page, media_type="text/html", headers=_PAGE_HEADERS)

    def style(self, request: Request) -> Response:
        return Response(self._style, media_type="text/css", headers=_PAGE_HEADERS)

    @cached_property
    def _document(self) -> bytes:
        return orjson.dumps(build_document(self._version, self._families()))

    @cached_property
    def _page(self) -> str:
        return render_page(build_document(self._version, self._families()))

    @cached_property
    def _style(self) -> bytes:
        return files(__package__).joinpath("style.css").read_bytes()
