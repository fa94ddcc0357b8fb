"""One request to an ASGI app, without a server."""

from dataclasses import dataclass
from typing import Any

import orjson
from starlette.types import ASGIApp


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return orjson.loads(self.body)


async def request(app: ASGIApp, path: str, *authorization: str, method: str = "GET") -> Answer:
    """Each `authorization` is a header of that name."""
    scope = {
        "type": "http",
        # From this version on a response need not ask whether its reader is still there.
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "scheme": "http",
        "http_version": "1.1",
        "server": ("127.0.0.1", 80),
        "headers": [(b"authorization", value.encode()) for value in authorization],
    }
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, send)
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return Answer(sent[0]["status"], headers, b"".join(message.get("body", b"") for message in sent[1:]))
