"""A scripted model endpoint, for tests and benchmarks: it does what a `Script` says and keeps count. It speaks chat
completions, the Messages API and the Responses API, each at its route.

Inside a test: `async with Endpoint(Script(tokens=3)) as endpoint`. As a process:
`python -m tests.endpoint --port 0 --tokens 100 --rate 50` prints its URL; `GET /stats` and `GET /requests` tell
what it has seen. A user message `script: {"tokens": 5}` overrides fields of the script for the requests whose
last user message it is. It is written on a bare asyncio protocol so that it is never the bottleneck.
"""

import argparse
import asyncio
import contextlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self, cast

import orjson
import uvloop

from tests.patience import PATIENCE
from tests.wires.chat import ChatServer
from tests.wires.messages import MessagesServer
from tests.wires.responses import ResponsesServer
from tests.wires.script import Script as Script
from tests.wires.script import tokens_in
from tests.wires.wire import Refused, WireServer

# The models that it lists. It answers for any model.
MODELS = ("scripted", "listed", "local:3b")
_WIRES: Sequence[WireServer] = (ChatServer(), MessagesServer(), ResponsesServer())
_MARK = "script:"
_STREAM_HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n"
    b"connection: keep-alive\r\n\r\n"
)
_LAST_CHUNK = b"0\r\n\r\n"


@dataclass(slots=True)
class Tally:
    """What an endpoint has seen. `dropped` counts clients that left before their response was whole."""

    requests: int = 0
    connections: int = 0
    answered: int = 0
    dropped: int = 0
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    # The bodies as they came.
    raw: list[bytes] = field(default_factory=list)


class Endpoint:
    """Serves one script, or a sequence of them: one for each request, the last for all that follow."""

    def __init__(
        self, script: Script | Sequence[Script] | None = None, *, port: int = 0, keep_bodies: bool = True
    ) -> None:
        self._scripts = [script] if isinstance(script, Script) else list(script or [Script()])
        self._port = port
        self._keep_bodies = keep_bodies
        # How often a request with this last user message has been failed.
        self._failed: Counter[str] = Counter()
        self._connections: set[_Connection] = set()
        self._changed = asyncio.Event()
        self._server: asyncio.Server | None = None
        self.tally = Tally()

    @property
    def url(self) -> str:
        return f"{self.root}/v1"

    @property
    def root(self) -> str:
        """The base URL of an API whose routes begin with their version."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return self.tally.bodies

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Connection(self), "127.0.0.1", self._port, backlog=1024)
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        assert self._server is not None
        self._server.close()
        for connection in list(self._connections):
            connection.cut()
        await self._server.wait_closed()

    async def wait_for(self, *, requests: int = 0, answered: int = 0, dropped: int = 0) -> None:
        """Wait until the counts have reached at least these."""
        seen = self.tally
        async with asyncio.timeout(PATIENCE):
            while seen.requests < requests or seen.answered < answered or seen.dropped < dropped:
                self._changed.clear()
                await self._changed.wait()

    def count(self, **by: int) -> None:
        for name, amount in by.items():
            setattr(self.tally, name, getattr(self.tally, name) + amount)
        self._changed.set()

    def enter(self, connection: "_Connection") -> None:
        self._connections.add(connection)
        self.count(connections=1)

    def leave(self, connection: "_Connection") -> None:
        self._connections.discard(connection)

    def take(self, wire: WireServer, headers: dict[str, str], body: bytes) -> tuple[Script, dict[str, Any]]:
        """Record a request and choose what to do with it. Raises Refused if its API would not take it."""
        request: dict[str, Any] = orjson.loads(body)
        script = self._scripts[min(self.tally.requests, len(self._scripts) - 1)]
        words = wire.last_words(request)
        if self._keep_bodies:
            self.tally.bodies.append(request)
            self.tally.headers.append(headers)
            self.tally.raw.append(body)
        self.count(requests=1)
        if words.startswith(_MARK):
            script = replace(script, **orjson.loads(words.removeprefix(_MARK)))
        wire.check(headers, request)
        return self._relent(script, words), request

    def _relent(self, script: Script, words: str) -> Script:
        """A script that fails a number of times succeeds afterwards."""
        if script.status == 200 or script.failures is None:
            return script
        self._failed[words] += 1
        return script if self._failed[words] <= script.failures else replace(script, status=200)


def _too_long(window: int, tokens: int) -> dict[str, str]:
    asked = f"your messages resulted in {tokens} tokens. Please reduce their length."
    sentence = f"This model's maximum context length is {window} tokens. However, {asked}"
    return {"message": sentence, "type": "invalid_request_error", "code": "context_length_exceeded"}


class _Connection(asyncio.Protocol):
    """One connection of a client: parses requests, answers them one after another."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._buffer = b""
        self._transport: asyncio.Transport | None = None
        self._answering: asyncio.Task[None] | None = None
        self._writable = asyncio.Event()
        self._writable.set()
        self._is_cut = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's transports do not inherit from asyncio's: an isinstance check would fail.
        self._transport = cast(asyncio.Transport, transport)
        self._endpoint.enter(self)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        self._answer_next()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self._endpoint.leave(self)
        if self._answering is not None and not self._answering.done():
            self._answering.cancel()
            if not self._is_cut:
                self._endpoint.count(dropped=1)

    def cut(self) -> None:
        """Close the connection from this side, at once."""
        self._is_cut = True
        assert self._transport is not None
        self._transport.abort()

    def _answer_next(self) -> None:
        if self._answering is not None and not self._answering.done():
            return
        request = self._next_request()
        if request is not None:
            self._answering = asyncio.get_running_loop().create_task(self._answer(*request))

    def _next_request(self) -> tuple[str, dict[str, str], bytes] | None:
        head, blank, rest = self._buffer.partition(b"\r\n\r\n")
        if not blank:
            return None
        lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        length = int(headers.get("content-length", 0))
        if len(rest) < length:
            return None
        self._buffer = rest[length:]
        return lines[0], headers, rest[:length]

    async def _answer(self, line: str, headers: dict[str, str], body: bytes) -> None:
        method, path, _ = line.split(" ", 2)
        wire = next((wire for wire in _WIRES if path.partition("?")[0].endswith(wire.route)), None)
        if method == "GET":
            self._report(path.partition("?")[0])
        elif wire is None:
            self._write_whole(404, b'{"error": {"message": "no such route"}}')
        else:
            await self._serve(wire, headers, body)
            if self._is_cut:
                return
            self._endpoint.count(answered=1)
        asyncio.get_running_loop().call_soon(self._answer_next)

    async def _serve(self, wire: WireServer, headers: dict[str, str], body: bytes) -> None:
        try:
            script, request = self._endpoint.take(wire, headers, body)
        except Refused as refused:
            self._write_whole(refused.status, wire.error_body(refused.error))
        else:
            await self._perform(wire, script, request)

    def _report(self, path: str) -> None:
        tally = self._endpoint.tally
        if path == "/stats":
            counts = {name: getattr(tally, name) for name in ("requests", "connections", "answered", "dropped")}
            self._write_whole(200, orjson.dumps(counts))
        elif path == "/requests":
            self._write_whole(200, orjson.dumps(tally.bodies))
        elif path == "/v1/models":
            self._write_whole(200, orjson.dumps({"data": [{"id": name} for name in MODELS]}))
        else:
            self._write_whole(404, b"{}")

    async def _perform(self, wire: WireServer, script: Script, request: Mapping[str, Any]) -> None:
        if script.hang:
            await asyncio.Event().wait()
        elif script.window is not None and (tokens := tokens_in(request)) > script.window:
            self._write_whole(400, wire.error_body(_too_long(script.window, tokens)))
        elif script.status != 200:
            self._write_whole(script.status, wire.error_body(script.error), script.headers)
        elif script.raw is not None:
            self._write_whole(200, script.raw, {"content-type": script.content_type, **script.headers})
            if script.break_after is not None:
                self._hang_up()
        else:
            await self._stream(wire, script, request)

    def _write_whole(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        fields = {"content-type": "application/json", "content-length": str(len(body)), **(headers or {})}
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        self._write(f"HTTP/1.1 {status} Scripted\r\n{head}\r\n".encode() + body)

    async def _stream(self, wire: WireServer, script: Script, request: Mapping[str, Any]) -> None:
        loop = asyncio.get_running_loop()
        self._write(_STREAM_HEAD)
        self._write_chunk(wire.opening(script, request))
        start = loop.time()
        for number, events in enumerate(wire.tokens(script, request)):
            if await self._is_interrupted(wire, script, number):
                return
            if script.rate and number:
                # Against the start, not the last token: late wake-ups must not add up.
                await asyncio.sleep(start + number / script.rate - loop.time())
            await self._writable.wait()
            self._write_chunk(events)
        if await self._is_interrupted(wire, script, None):
            return
        self._write_chunk(wire.ending(script, request))
        self._write(_LAST_CHUNK)

    async def _is_interrupted(self, wire: WireServer, script: Script, number: int | None) -> bool:
        """Do what the script plans after `number` tokens, None for the end; return whether that ended the response."""
        if _is_due(script.hang_after, number, script):
            await asyncio.Event().wait()
        if _is_due(script.break_after, number, script):
            self._hang_up()
            return True
        if _is_due(script.error_after, number, script):
            self._write_chunk(wire.error_event(script.error))
            self._write(_LAST_CHUNK)
            return True
        return False

    def _hang_up(self) -> None:
        self._is_cut = True
        assert self._transport is not None
        # Not abort: what was written before must still reach the client.
        self._transport.close()

    def _write_chunk(self, events: bytes) -> None:
        if events:
            self._write(b"%x\r\n%b\r\n" % (len(events), events))

    def _write(self, data: bytes) -> None:
        assert self._transport is not None
        self._transport.write(data)


def _is_due(after: int | None, number: int | None, script: Script) -> bool:
    if after is None:
        return False
    return number == after or (number is None and after >= script.size)


async def _serve(port: int, script: Script, *, record: bool) -> None:
    async with Endpoint(script, port=port, keep_bodies=record) as endpoint:
        print(endpoint.url, flush=True)
        await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--tokens", type=int, default=100)
    parser.add_argument("--rate", type=float, default=50.0, help="tokens a second, 0 for no limit")
    parser.add_argument("--window", type=int, help="refuse to read more tokens than these")
    parser.add_argument("--record", action="store_true", help="keep request bodies, for GET /requests")
    options = parser.parse_args()
    script = Script(tokens=options.tokens, rate=options.rate, window=options.window)
    with contextlib.suppress(KeyboardInterrupt):
        uvloop.run(_serve(options.port, script, record=options.record))


if __name__ == "__main__":
    main()
