"""One request to an ASGI app, without a server."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return orjson.loads(self.body)


async def request(
    app: ASGIApp,
    path: str,
    *authorization: str,
    method: str = "GET",
    headers: Mapping[str, str] | None = None,
    body: bytes = b"",
    host: str = "127.0.0.1",
    server: tuple[str, int | None] | None = ("127.0.0.1", 80),
) -> Answer:
    """Each `authorization` is a header of that name; `headers` are others."""
    length = {"content-length": str(len(body))} if body else {}
    given = [*(("authorization", value) for value in authorization), *(length | dict(headers or {})).items()]
    scope = {
        "type": "http",
        # From this version on, Starlette does not poll `receive` for a disconnect.
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "scheme": "http",
        "http_version": "1.1",
        "server": server,
        "headers": [(b"host", host.encode()), *((name.encode(), value.encode()) for name, value in given)],
    }
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, send)
    headers_sent = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return Answer(sent[0]["status"], headers_sent, b"".join(message.get("body", b"") for message in sent[1:]))


async def well() -> Response:
    """A health check that always succeeds."""
    return JSONResponse({"status": "ok"})
