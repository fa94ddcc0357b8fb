"""A client of the web routes, over the Unix socket of the server that holds the home."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import Any

import aiohttp
import orjson

from wakeful.errors import WakefulError

# The server says something every 15 s; one that says nothing for so long is gone.
_SILENCE_SECONDS = 45.0
_ANSWER_SECONDS = 60.0
# Between two tries to get a stream back.
_FIRST_WAIT = 0.1
_LONGEST_WAIT = 2.0


class RequestRefused(WakefulError):
    """The server has refused a request; its own sentence says why."""

    def __init__(self, status: int, error: Mapping[str, Any]) -> None:
        super().__init__(str(error.get("message", "")))
        self.status = status
        self.code = str(error.get("code", ""))
        self.details = error


class ServerGone(WakefulError):
    """The server does not answer any more."""


@dataclass(frozen=True, slots=True)
class ServerEvent:
    id: str
    name: str
    data: dict[str, Any]


class Client:
    def __init__(self, socket: Path, key: str, door: str) -> None:
        """`door` is what the client says it is: terminal or ask."""
        self._socket = socket
        self._headers = {"Authorization": f"Bearer {key}", "X-Wakeful-Door": door}
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> "Client":
        self._session = aiohttp.ClientSession(
            "http://localhost",
            connector=aiohttp.UnixConnector(str(self._socket), limit=0),
            headers=self._headers,
            timeout=aiohttp.ClientTimeout(total=_ANSWER_SECONDS),
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._session is not None:
            await self._session.close()

    async def get(self, path: str, **query: str | int) -> dict[str, Any]:
        return await self._ask("GET", path, params=query)

    async def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        return await self._ask("POST", path, data=BytesIO(orjson.dumps(body)))

    async def patch(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        return await self._ask("PATCH", path, data=BytesIO(orjson.dumps(body)))

    async def delete(self, path: str, **query: str) -> dict[str, Any]:
        return await self._ask("DELETE", path, params=query)

    async def events(self, path: str, *, after: str = "", **query: str) -> AsyncGenerator[ServerEvent, None]:
        """The frames of a stream, without gap or double however often it is cut, until the server has no more or the
        reader closes it. After a cut the first frames tell again how things stand.
        """
        wait = _FIRST_WAIT
        while True:
            try:
                async for event in self._follow(path, after, query):
                    after, wait = event.id, _FIRST_WAIT
                    yield event
            except _Ended:
                return
            except RequestRefused as refused:
                if refused.status != 503:
                    raise
            except ServerGone:
                pass
            await asyncio.sleep(wait)
            wait = min(2 * wait, _LONGEST_WAIT)

    async def _follow(self, path: str, after: str, query: Mapping[str, str]) -> AsyncGenerator[ServerEvent, None]:
        """One connection's worth."""
        assert self._session is not None
        headers = {"Last-Event-ID": after} if after else {}
        timeout = aiohttp.ClientTimeout(total=None, sock_read=_SILENCE_SECONDS)
        parser = _FrameParser()
        try:
            async with self._session.get(path, params=query, headers=headers, timeout=timeout) as response:
                if response.status == 204:
                    raise _Ended
                if response.status != 200:
                    raise RequestRefused(response.status, _error_in(await response.read()))
                async for chunk in response.content.iter_any():
                    for event in parser.feed(chunk):
                        yield event
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise ServerGone from error

    async def _ask(self, method: str, path: str, **how: Any) -> dict[str, Any]:
        assert self._session is not None
        try:
            async with self._session.request(method, path, **how) as response:
                body = await response.read()
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise ServerGone from error
        if response.status >= 400:
            raise RequestRefused(response.status, _error_in(body))
        answer: dict[str, Any] = orjson.loads(body)
        return answer


class _Ended(Exception):
    """The stream has been read to its end."""


class _FrameParser:
    """Cuts our own server's frames out of the stream, wherever the network has cut its bytes."""

    def __init__(self) -> None:
        self._tail = b""

    def feed(self, chunk: bytes) -> list[ServerEvent]:
        *blocks, self._tail = (self._tail + chunk).split(b"\n\n")
        return [_event_in(block) for block in blocks if not block.startswith(b":")]


def _event_in(block: bytes) -> ServerEvent:
    fields = dict(line.split(b": ", 1) for line in block.split(b"\n"))
    return ServerEvent(fields[b"id"].decode(), fields[b"event"].decode(), orjson.loads(fields[b"data"]))


def _error_in(body: bytes) -> Mapping[str, Any]:
    try:
        error: Mapping[str, Any] = orjson.loads(body)["error"]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return {"message": "The server has answered something that is not understood."}
    return error
