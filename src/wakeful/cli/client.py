"""A client of the web routes, over the server's Unix socket."""

import asyncio
import errno
import time
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import aiohttp
import orjson

from wakeful.errors import MessageUnusable, WakefulError

# How long a stream may be silent before the server counts as gone. It sends something every 15 s.
_SILENCE_SECONDS = 45.0
_ANSWER_SECONDS = 60.0
# Seconds between two attempts to reconnect a stream.
_FIRST_WAIT = 0.1
_LONGEST_WAIT = 2.0


class RequestRefused(WakefulError):
    """The server refused a request; its message says why."""

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
    def __init__(self, socket: Path, key: str, door: str, *, patience: float | None = None) -> None:
        """`door` names the kind of client: terminal or ask. `patience` is how many seconds a stream waits for a server
        that is gone or silent; with None it waits for ever.
        """
        self._socket = socket
        self._patience = patience
        # Since when streams have been disconnected; None while they are connected.
        self._lost_at: float | None = None
        self._headers = {"Authorization": f"Bearer {key}", "X-Wakeful-Door": door}
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> "Client":
        self._session = aiohttp.ClientSession(
            "http://localhost",
            connector=aiohttp.UnixConnector(str(self._socket), limit=0),
            headers=self._headers,
            timeout=aiohttp.ClientTimeout(total=self._patience or _ANSWER_SECONDS),
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

    async def upload(self, file: Path, session_id: str = "") -> dict[str, Any]:
        """Upload a file for a message. Raises MessageUnusable if it cannot be read."""
        try:
            opened = await asyncio.to_thread(_open_file, file)
        except OSError as error:
            raise MessageUnusable(
                f"{file} cannot be attached: {(error.strerror or 'unknown error').lower()}."
            ) from error
        with opened:
            query = {"name": file.name, "session_id": session_id}
            return await self._ask("POST", "/api/attachments", params=query, data=opened)

    async def patch(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        return await self._ask("PATCH", path, data=BytesIO(orjson.dumps(body)))

    async def delete(self, path: str, **query: str) -> dict[str, Any]:
        return await self._ask("DELETE", path, params=query)

    async def events(self, path: str, *, after: str = "", **query: str) -> AsyncGenerator[ServerEvent, None]:
        """Yield the frames of a stream until its end, and reconnect after a cut: no frame is lost or repeated. After a
        reconnect, the first frames send the current state again. Raises ServerGone when `patience` is over.
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
                if self._is_given_up():
                    raise
            await asyncio.sleep(wait)
            wait = min(2 * wait, _LONGEST_WAIT)

    async def _follow(self, path: str, after: str, query: Mapping[str, str]) -> AsyncGenerator[ServerEvent, None]:
        """Yield the frames of one connection."""
        assert self._session is not None
        headers = {"Last-Event-ID": after} if after else {}
        silence = _SILENCE_SECONDS if self._lost_at is None else (self._patience or _SILENCE_SECONDS)
        timeout = aiohttp.ClientTimeout(total=None, sock_read=silence)
        parser = _FrameParser()
        try:
            async with self._session.get(path, params=query, headers=headers, timeout=timeout) as response:
                self._lost_at = None
                if response.status == 204:
                    raise _Ended
                if response.status != 200:
                    raise RequestRefused(response.status, _error_in(await response.read()))
                async for chunk in response.content.iter_any():
                    for event in parser.feed(chunk):
                        yield event
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise ServerGone from error

    def _is_given_up(self) -> bool:
        """Whether to stop reconnecting. Call it after each failed attempt."""
        now = time.monotonic()
        if self._lost_at is None:
            self._lost_at = now
        return self._patience is not None and now - self._lost_at > self._patience

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


def _open_file(path: Path) -> BinaryIO:
    if not path.is_file() and path.exists():
        # Reading a pipe or a device may never end.
        raise OSError(errno.EINVAL, "Not a file")
    return path.open("rb")


class _Ended(Exception):
    """The stream is complete."""


class _FrameParser:
    """Splits a stream of our server into frames, however its bytes are chunked."""

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
        return {"message": "The server's answer is not understood; is it the same version?"}
    return error
