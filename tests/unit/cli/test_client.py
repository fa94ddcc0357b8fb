"""The client of the commands against a server that answers as a test wants, also badly."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from aiohttp import web

from wakeful.cli import client as module
from wakeful.cli.client import Client, RequestRefused, ServerEvent, ServerGone
from wakeful.errors import MessageUnusable

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def reached(folder: Path, handler: Handler, patience: float | None = None) -> AsyncIterator[Client]:
    """Yield a client of a server that answers every request with this handler."""
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handler)
    runner = web.AppRunner(app, shutdown_timeout=0.01)
    await runner.setup()
    try:
        await web.UnixSite(runner, str(folder / "s")).start()
        async with Client(folder / "s", "wk_key", "ask", patience=patience) as client, asyncio.timeout(10):
            yield client
    finally:
        await runner.cleanup()


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_FIRST_WAIT", 0.001)
    monkeypatch.setattr(module, "_LONGEST_WAIT", 0.002)


async def test_every_request_carries_the_key_and_the_door_and_what_it_was_given(tmp_path: Path) -> None:
    seen: list[tuple[str, ...]] = []

    async def note(request: web.Request) -> web.Response:
        body = await request.text()
        seen.append((request.method, str(request.rel_url), body))
        assert request.headers["Authorization"] == "Bearer wk_key"
        assert request.headers["X-Wakeful-Door"] == "ask"
        return web.json_response({"ok": True})

    async with reached(tmp_path, note) as client:
        assert await client.get("/api/a", limit=1) == {"ok": True}
        await client.post("/api/b", {"x": 1})
        await client.patch("/api/c", {"x": 2})
        await client.delete("/api/d", id="7")

    assert seen == [
        ("GET", "/api/a?limit=1", ""),
        ("POST", "/api/b", '{"x":1}'),
        ("PATCH", "/api/c", '{"x":2}'),
        ("DELETE", "/api/d?id=7", ""),
    ]


async def test_a_file_is_sent_with_its_name(tmp_path: Path) -> None:
    async def echo(request: web.Request) -> web.Response:
        return web.json_response({"asked": str(request.rel_url), "body": await request.text()})

    (tmp_path / "a.txt").write_text("milk")
    async with reached(tmp_path, echo) as client:
        answer = await client.upload(tmp_path / "a.txt", "ses_1")

    assert answer == {"asked": "/api/attachments?name=a.txt&session_id=ses_1", "body": "milk"}


@pytest.mark.parametrize(("name", "reason"), [("missing", "no such file or directory"), ("folder", "not a file")])
async def test_a_file_that_cannot_be_read_is_not_sent(tmp_path: Path, name: str, reason: str) -> None:
    (tmp_path / "folder").mkdir()

    # Nobody answers here: it would be seen if anything was sent.
    async with Client(tmp_path / "nowhere", "", "ask") as client:
        with pytest.raises(MessageUnusable, match=f"{name} cannot be attached: {reason}"):
            await client.upload(tmp_path / name)


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (400, b'{"error": {"code": "odd", "message": "Not so."}}', "Not so."),
        (500, b"<html>", "The server's answer is not understood; is it the same version?"),
        (404, b"{}", "The server's answer is not understood; is it the same version?"),
        (404, b"[]", "The server's answer is not understood; is it the same version?"),
    ],
)
async def test_a_refusal_has_words_whatever_it_looks_like(
    tmp_path: Path, status: int, body: bytes, message: str
) -> None:
    async def refuse(request: web.Request) -> web.Response:
        return web.Response(status=status, body=body)

    async with reached(tmp_path, refuse) as client:
        with pytest.raises(RequestRefused) as refused:
            await client.get("/api/a")
        with pytest.raises(RequestRefused) as of_stream:
            await anext(client.events("/api/stream"))

    assert (str(refused.value), refused.value.status) == (message, status)
    assert (str(of_stream.value), of_stream.value.status) == (message, status)


def frame(number: int, text: str = "x") -> bytes:
    return f'id: {number}\nevent: token\ndata: {{"text":"{text}"}}\n\n'.encode()


@pytest.mark.parametrize("size", [1, 7, 1000])
async def test_frames_are_read_however_they_are_cut_and_signs_of_life_are_none(tmp_path: Path, size: int) -> None:
    sent = b": alive\n\n" + frame(1, "one: two") + b":\n\n" + frame(2)

    async def stream(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        for start in range(0, len(sent), size):
            await response.write(sent[start : start + size])
        await response.write_eof()
        return response

    async with reached(tmp_path, stream) as client:
        events = client.events("/api/stream")
        found = [await anext(events), await anext(events)]
        await events.aclose()

    assert found == [ServerEvent("1", "token", {"text": "one: two"}), ServerEvent("2", "token", {"text": "x"})]


async def test_after_a_cut_it_goes_on_where_it_was_until_the_server_says_that_all_was_sent(tmp_path: Path) -> None:
    asked: list[tuple[str, str]] = []
    answers = [(200, frame(1)), (503, b"{}"), (200, b""), (200, frame(2)), (204, b"")]

    async def stream(request: web.Request) -> web.Response:
        asked.append((str(request.rel_url), request.headers.get("Last-Event-ID", "")))
        status, body = answers.pop(0)
        return web.Response(status=status, body=body)

    async with reached(tmp_path, stream) as client:
        found = [event.id async for event in client.events("/api/stream", stream_id="t")]

    assert found == ["1", "2"]
    assert asked == [("/api/stream?stream_id=t", after) for after in ("", "1", "1", "1", "2")]


async def test_a_stream_waits_longer_each_time_until_it_is_connected_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LONGEST_WAIT", 0.003)
    waits: list[float] = []
    real = asyncio.sleep

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        await real(0)

    monkeypatch.setattr("asyncio.sleep", sleep)
    answers = [(503, b"{}"), (503, b"{}"), (503, b"{}"), (200, frame(1)), (503, b"{}"), (204, b"")]

    async def stream(request: web.Request) -> web.Response:
        status, body = answers.pop(0)
        return web.Response(status=status, body=body)

    async with reached(tmp_path, stream) as client:
        assert [event.id async for event in client.events("/api/stream")] == ["1"]

    # Others yield with a sleep of no time.
    assert [wait for wait in waits if wait] == [0.001, 0.002, 0.003, 0.001, 0.002]


async def test_a_server_that_is_back_is_given_its_whole_time_again(tmp_path: Path) -> None:
    """A stream that was cut, connected again and is cut once more has not been lost since the first cut."""
    answers = [(200, frame(1)), (200, frame(2)), (204, b"")]

    async def stream(request: web.Request) -> web.Response:
        status, body = answers.pop(0)
        return web.Response(status=status, body=body)

    async with reached(tmp_path, stream, patience=5.0) as client:
        assert [event.id async for event in client.events("/api/stream")] == ["1", "2"]


async def test_without_patience_a_stream_waits_for_a_server_that_comes_back(tmp_path: Path) -> None:
    async def stream(request: web.Request) -> web.Response:
        return web.Response(status=200, body=frame(1))

    async with Client(tmp_path / "s", "wk_key", "terminal") as client:
        waiting = asyncio.create_task(anext(client.events("/api/stream")))
        with pytest.raises(ServerGone):
            await client.get("/health")
        async with reached(tmp_path, stream), asyncio.timeout(10):
            assert (await waiting).id == "1"


async def test_a_server_that_breaks_off_and_is_silent_after_that_is_given_up_in_time(tmp_path: Path) -> None:
    requests = 0

    async def stream(request: web.Request) -> web.Response:
        nonlocal requests
        requests += 1
        # aiohttp asks a second time by itself.
        if requests > 2:
            await asyncio.Event().wait()
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    # A server that was there may be silent for much longer.
    async with reached(tmp_path, stream, patience=0.05) as client:
        with pytest.raises(ServerGone):
            await anext(client.events("/api/stream"))


@pytest.mark.parametrize("patience", [0.05, None])
async def test_a_request_waits_as_long_as_its_command_does_or_else_for_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, patience: float | None
) -> None:
    monkeypatch.setattr(module, "_ANSWER_SECONDS", 60.0 if patience else 0.05)

    async def say_nothing(request: web.Request) -> web.Response:
        await asyncio.Event().wait()
        return web.Response()

    async with reached(tmp_path, say_nothing, patience) as client:
        with pytest.raises(ServerGone):
            await client.get("/api/a")


async def test_a_request_is_answered_beside_open_streams(tmp_path: Path) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        if request.path != "/api/stream":
            return web.json_response({"ok": True})
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(frame(1))
        await asyncio.Event().wait()
        return response

    async with reached(tmp_path, answer) as client:
        streams = [client.events("/api/stream") for _ in range(2)]
        assert [(await anext(stream)).id for stream in streams] == ["1", "1"]
        assert await client.get("/api/a") == {"ok": True}
        for stream in streams:
            await stream.aclose()


async def test_a_stream_that_falls_silent_is_connected_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SILENCE_SECONDS", 0.05)
    requests = 0

    async def stream(request: web.Request) -> web.Response:
        nonlocal requests
        requests += 1
        # Silent at first, and also when it was lost before.
        if requests <= 2:
            await asyncio.Event().wait()
        return web.Response(body=frame(requests))

    async with reached(tmp_path, stream) as client:
        assert (await anext(client.events("/api/stream"))).id == "3"


def test_a_server_is_given_up_when_it_was_gone_for_longer_than_the_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(monotonic=iter([10.0, 20.0, 30.0, 30.5]).__next__)
    monkeypatch.setattr(module, "time", clock)
    client = Client(Path("nowhere"), "", "ask", patience=20.0)

    assert [client._is_given_up() for _ in range(4)] == [False, False, False, True]


async def test_the_time_of_being_gone_ends_with_a_connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: clock.now))

    async def stream(request: web.Request) -> web.Response:
        return web.Response(body=frame(1))

    async with reached(tmp_path, stream, patience=20.0) as client:
        assert not client._is_given_up()
        await anext(client.events("/api/stream"))
        clock.now = 100.0
        assert not client._is_given_up()


async def test_nothing_can_be_asked_after_the_end(tmp_path: Path) -> None:
    async def answer(request: web.Request) -> web.Response:
        return web.json_response({})

    async with reached(tmp_path, answer) as client:
        await client.get("/api/a")
        await client.__aexit__(None, None, None)
        with pytest.raises(RuntimeError, match="closed"):
            await client.get("/api/a")


async def test_a_file_that_is_not_sent_is_closed(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("milk")
    async with Client(tmp_path / "nowhere", "", "ask") as client:
        pass

    # The error is kept, because one that is forgotten closes what it knows.
    with pytest.raises(RuntimeError, match="closed") as refused:
        await client.upload(file)

    links = [Path("/proc/self/fd", name) for name in os.listdir("/proc/self/fd")]
    assert file not in [link.readlink() for link in links if link.is_symlink()]
    assert refused.value.__traceback__ is not None
