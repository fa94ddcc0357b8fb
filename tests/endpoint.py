"""A scripted OpenAI-compatible endpoint, for tests and benchmarks: it does what a `Script` says and keeps count.

Inside a test: `async with Endpoint(Script(tokens=3)) as endpoint`. As a process:
`python -m tests.endpoint --port 0 --tokens 100 --rate 50` prints its URL; `GET /stats` and `GET /requests` tell
what it has seen. A user message `script: {"tokens": 5}` overrides fields of the script for the requests whose
last user message it is. It is written on a bare asyncio protocol so that it is never the bottleneck.
"""

import argparse
import asyncio
import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self, cast

import orjson
import uvloop

from tests.patience import PATIENCE

# The models that it lists. It answers for any model.
MODELS = ("scripted", "listed", "local:3b")
_MARK = "script:"
_STREAM_HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n"
    b"connection: keep-alive\r\n\r\n"
)


@dataclass(frozen=True, slots=True)
class Script:
    """What the endpoint does with one request."""

    # The answer: this text as one token, or else this many made-up tokens.
    text: str | None = None
    tokens: int = 3
    reasoning_tokens: int = 0
    # Tokens a second; 0 sends them as fast as the client reads.
    rate: float = 0.0
    # Tool calls, each {"name": …, "arguments": {…}}; sent unless the last message is already a tool's result.
    calls: Sequence[Mapping[str, Any]] = ()
    finish_reason: str = "stop"
    # After this many tokens: cut the connection, report an error inside the stream, or send nothing more.
    break_after: int | None = None
    error_after: int | None = None
    hang_after: int | None = None
    # Send nothing at all, not even the head of the response.
    hang: bool = False
    # Answer with this HTTP status; `failures` says how many times before it succeeds, None for always.
    status: int = 200
    failures: int | None = None
    error: Mapping[str, Any] = field(default_factory=lambda: {"message": "scripted error"})
    headers: Mapping[str, str] = field(default_factory=dict)
    # The tokens that the model can read: a longer request is refused, and `usage` counts those of the request.
    window: int | None = None
    # Exactly these bytes as the body of the response, for streams that are not compatible at all. Any
    # `break_after` cuts the connection after them.
    raw: bytes | None = None
    content_type: str = "text/event-stream"


@dataclass(slots=True)
class Tally:
    """What an endpoint has seen. `dropped` counts clients that left before their response was whole."""

    requests: int = 0
    connections: int = 0
    answered: int = 0
    dropped: int = 0
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)


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
        return f"http://127.0.0.1:{self._port}/v1"

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

    def take(self, headers: dict[str, str], body: bytes) -> tuple[Script, dict[str, Any]]:
        """Record a request and choose what to do with it."""
        request: dict[str, Any] = orjson.loads(body)
        script = self._scripts[min(self.tally.requests, len(self._scripts) - 1)]
        words = _last_words(request)
        if self._keep_bodies:
            self.tally.bodies.append(request)
            self.tally.headers.append(headers)
        self.count(requests=1)
        if words.startswith(_MARK):
            script = replace(script, **orjson.loads(words.removeprefix(_MARK)))
        return self._relent(script, words), request

    def _relent(self, script: Script, words: str) -> Script:
        """A script that fails a number of times succeeds afterwards."""
        if script.status == 200 or script.failures is None:
            return script
        self._failed[words] += 1
        return script if self._failed[words] <= script.failures else replace(script, status=200)


def tokens_in(request: Mapping[str, Any]) -> int:
    """Four characters a token, as in English."""
    return len(orjson.dumps([request["messages"], request.get("tools", [])])) // 4


def _too_long(window: int, tokens: int) -> dict[str, str]:
    asked = f"your messages resulted in {tokens} tokens. Please reduce their length."
    sentence = f"This model's maximum context length is {window} tokens. However, {asked}"
    return {"message": sentence, "type": "invalid_request_error", "code": "context_length_exceeded"}


def _last_words(request: Mapping[str, Any]) -> str:
    words = [message["content"] for message in request["messages"] if message["role"] == "user"]
    return words[-1] if words and isinstance(words[-1], str) else ""


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
        if method == "GET":
            self._report(path)
        elif not path.partition("?")[0].endswith("/chat/completions"):
            self._write_whole(404, b'{"error": {"message": "no such route"}}')
        else:
            script, request = self._endpoint.take(headers, body)
            await self._perform(script, request)
            if self._is_cut:
                return
            self._endpoint.count(answered=1)
        asyncio.get_running_loop().call_soon(self._answer_next)

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

    async def _perform(self, script: Script, request: Mapping[str, Any]) -> None:
        if script.hang:
            await asyncio.Event().wait()
        elif script.window is not None and (tokens := tokens_in(request)) > script.window:
            self._write_whole(400, orjson.dumps({"error": _too_long(script.window, tokens)}))
        elif script.status != 200:
            self._write_whole(script.status, orjson.dumps({"error": script.error}), script.headers)
        elif script.raw is not None:
            self._write_whole(200, script.raw, {"content-type": script.content_type, **script.headers})
            if script.break_after is not None:
                self._hang_up()
        else:
            await self._stream(script, request)

    def _write_whole(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        fields = {"content-type": "application/json", "content-length": str(len(body)), **(headers or {})}
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        self._write(f"HTTP/1.1 {status} Scripted\r\n{head}\r\n".encode() + body)

    async def _stream(self, script: Script, request: Mapping[str, Any]) -> None:
        loop = asyncio.get_running_loop()
        self._write(_STREAM_HEAD)
        start = loop.time()
        for number, delta in enumerate(_deltas(script, request)):
            if await self._is_interrupted(script, number):
                return
            if script.rate and number:
                # Against the start, not the last token: late wake-ups must not add up.
                await asyncio.sleep(start + number / script.rate - loop.time())
            await self._writable.wait()
            self._write_event(delta)
        if await self._is_interrupted(script, None):
            return
        self._write_event(_last_chunk(script, request))
        if request.get("stream_options", {}).get("include_usage"):
            self._write_event(_usage_chunk(script, 7 if script.window is None else tokens_in(request)))
        self._write(b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n")

    async def _is_interrupted(self, script: Script, number: int | None) -> bool:
        """Do what the script plans after `number` tokens, None for the end; return whether that ended the response."""
        if _is_due(script.hang_after, number, script):
            await asyncio.Event().wait()
        if _is_due(script.break_after, number, script):
            self._hang_up()
            return True
        if _is_due(script.error_after, number, script):
            self._write_event(orjson.dumps({"error": script.error}))
            self._write(b"0\r\n\r\n")
            return True
        return False

    def _hang_up(self) -> None:
        self._is_cut = True
        assert self._transport is not None
        # Not abort: what was written before must still reach the client.
        self._transport.close()

    def _write_event(self, payload: bytes) -> None:
        self._write(b"%x\r\ndata: %b\n\n\r\n" % (len(payload) + 8, payload))

    def _write(self, data: bytes) -> None:
        assert self._transport is not None
        self._transport.write(data)


def _is_due(after: int | None, number: int | None, script: Script) -> bool:
    if after is None:
        return False
    return number == after or (number is None and after >= script.tokens + script.reasoning_tokens)


def _deltas(script: Script, request: Mapping[str, Any]) -> Iterator[bytes]:
    for number in range(script.reasoning_tokens):
        yield _chunk({"reasoning_content": f"thought{number} "})
    if script.calls and request["messages"][-1]["role"] != "tool":
        for index, call in enumerate(script.calls):
            yield from _call_deltas(index, call, turn=len(request["messages"]))
    elif script.text is not None:
        yield _chunk({"content": script.text})
    else:
        # The hot path of benchmarks: one JSON text, cut in two, instead of one dumps for each token.
        before, after = _chunk({"content": "@"}).split(b"@")
        for number in range(script.tokens):
            yield b"%btoken%d %b" % (before, number, after)


def _call_deltas(index: int, call: Mapping[str, Any], *, turn: int) -> Iterator[bytes]:
    arguments = call["arguments"]
    text = arguments if isinstance(arguments, str) else orjson.dumps(arguments).decode()
    half = len(text) // 2
    function = {"name": call["name"], "arguments": ""}
    call_id = call.get("id", f"call_{turn}_{index}")
    yield _chunk({"tool_calls": [{"index": index, "id": call_id, "type": "function", "function": function}]})
    for piece in (text[:half], text[half:]):
        yield _chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})


def _chunk(delta: Mapping[str, Any], finish_reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return orjson.dumps(
        {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "scripted", "choices": [choice]}
    )


def _last_chunk(script: Script, request: Mapping[str, Any]) -> bytes:
    is_calling = bool(script.calls) and request["messages"][-1]["role"] != "tool"
    return _chunk({}, "tool_calls" if is_calling and script.finish_reason == "stop" else script.finish_reason)


def _usage_chunk(script: Script, read: int) -> bytes:
    output = script.tokens + script.reasoning_tokens
    usage = {
        "prompt_tokens": read,
        "completion_tokens": output,
        "total_tokens": read + output,
        "prompt_tokens_details": {"cached_tokens": 2},
        "completion_tokens_details": {"reasoning_tokens": script.reasoning_tokens},
    }
    return orjson.dumps({"id": "chatcmpl-1", "choices": [], "usage": usage})


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
