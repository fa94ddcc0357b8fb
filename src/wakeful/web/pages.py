"""Serves the page, the login page and their static files."""

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wakeful.web.static_files import StaticFile, StaticFiles

_FOLDER = Path(__file__).parent / "static"
# A page names the current static files, so browsers revalidate it each time; a static file never changes its content.
_REVALIDATE = "no-cache"
_KEEP = "public, max-age=31536000, immutable"
# The service worker is served below /static/ but controls every page: browsers require a header for that.
_SERVICE_WORKER = "service_worker.js"
_CONTROLS_ALL_PAGES = {"service-worker-allowed": "/"}
_REFUSAL = re.compile(r"q=0(\.0*)?")


class PageRoutes:
    def __init__(self, *, has_password: bool) -> None:
        self._static = StaticFiles(_FOLDER, leave_out=() if has_password else ("password",))

    def routes(self) -> list[Route]:
        return [
            Route("/", self.page, methods=["GET"]),
            Route("/s/{session_id}", self.page, methods=["GET"]),
            Route("/settings", self.page, methods=["GET"]),
            Route("/schedules", self.page, methods=["GET"]),
            Route("/schedules/{job_id}", self.page, methods=["GET"]),
            Route("/login", self.login, methods=["GET"]),
            Route("/favicon.ico", self.icon, methods=["GET"]),
            Route("/static/{digest}/{path:path}", self.file, methods=["GET"]),
        ]

    async def page(self, request: Request) -> Response:
        """Return the same page for every address; its script loads what the address names."""
        return _answer(request, self._static.pages["page.html"], _REVALIDATE)

    async def login(self, request: Request) -> Response:
        return _answer(request, self._static.pages["login.html"], _REVALIDATE)

    async def icon(self, request: Request) -> Response:
        return _answer(request, self._static.files["icon.svg"], _REVALIDATE)

    async def file(self, request: Request) -> Response:
        # The path is a key into files that are in memory: it never reaches the disk.
        path = request.path_params["path"]
        file = self._static.files.get(path)
        if file is None or request.path_params["digest"] != self._static.digest:
            raise HTTPException(404)
        return _answer(request, file, _KEEP, _CONTROLS_ALL_PAGES if path == _SERVICE_WORKER else {})


def _answer(
    request: Request, file: StaticFile, caching: str, more: Mapping[str, str] = MappingProxyType({})
) -> Response:
    gzipped = file.gzipped if _takes_gzip(request) else None
    etag = f'"{file.mark}"' if gzipped is None else f'"{file.mark}-gzip"'
    headers = {"etag": etag, "cache-control": caching, "vary": "accept-encoding", **more}
    if etag in _known_etags(request):
        return Response(status_code=304, headers=headers)
    if gzipped is not None:
        headers["content-encoding"] = "gzip"
    return Response(file.body if gzipped is None else gzipped, headers={"content-type": file.type, **headers})


def _takes_gzip(request: Request) -> bool:
    offers = request.headers.get("accept-encoding", "").lower().replace(" ", "").split(",")
    return any(name == "gzip" and not _REFUSAL.fullmatch(rest) for name, _, rest in (o.partition(";") for o in offers))


def _known_etags(request: Request) -> list[str]:
    """Return the client's ETags without `W/`: a proxy may have weakened ours."""
    return [etag.strip().removeprefix("W/") for etag in request.headers.get("if-none-match", "").split(",")]
