"""The HTTP server from its start to its end: answers to the last moment, and no connection that keeps it."""

import asyncio
import socket
from contextlib import suppress

import pytest
from starlette.types import Receive, Scope, Send

from wakeful.cli.server import http_server
from wakeful.cli.server.http_server import serving

_ASK = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


async def nothing() -> None:
    pass


class App:
    """Answers with one word, or begins an answer and never ends it."""

    def __init__(self, *, is_stalled: bool = False) -> None:
        self._is_stalled = is_stalled
        self.has_begun = asyncio.Event()
        self.was_cancelled = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"word", "more_body": self._is_stalled})
        self.has_begun.set()
        if self._is_stalled:
            while (await receive())["type"] != "http.disconnect":
                pass
            self.was_cancelled = True


async def connect(listener: socket.socket) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection(*listener.getsockname())
    writer.write(_ASK)
    return reader, writer


async def asked(listener: socket.socket) -> bytes:
    reader, writer = await connect(listener)
    answer = await reader.readuntil(b"word")
    writer.close()
    return answer


async def test_it_answers_until_what_comes_before_the_end_is_done() -> None:
    answers: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        async def before_end() -> None:
            answers.append(await asked(listener))

        async with asyncio.timeout(10):
            async with serving(App(), [listener], before_end=before_end) as job:
                answers.append(await asked(listener))
                assert not job.done()
            assert job.done()

    assert len(answers) == 2
    # The name of the server is nobody's business.
    assert not any(b"server:" in answer.lower() for answer in answers)
    assert all(b"date: " in answer.lower() for answer in answers)


async def test_an_error_before_the_end_does_not_keep_it_running() -> None:
    async def fail() -> None:
        raise RuntimeError("It hangs.")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        async with asyncio.timeout(10):
            with pytest.raises(RuntimeError, match="It hangs"):
                async with serving(App(), [listener], before_end=fail) as job:
                    pass
        assert job.done()


async def test_an_answer_that_never_ends_is_cut_at_the_end(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(http_server, "_LAST_ANSWERS_SECONDS", 0.05)
    app = App(is_stalled=True)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        async with asyncio.timeout(10):
            async with serving(app, [listener], before_end=nothing):
                reader, writer = await connect(listener)
                await app.has_begun.wait()
            with suppress(ConnectionError):
                await reader.read()
            writer.close()

    assert app.was_cancelled
    # Nothing that it has to wait for is left, so nothing is logged.
    assert caplog.text == ""


async def test_a_client_does_not_say_itself_where_it_comes_from_and_nothing_is_logged_of_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO", "uvicorn.access")
    scopes: list[Scope] = []

    async def note(scope: Scope, receive: Receive, send: Send) -> None:
        scopes.append(scope)
        await App()(scope, receive, send)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        async with asyncio.timeout(10), serving(note, [listener], before_end=nothing):
            reader, writer = await asyncio.open_connection(*listener.getsockname())
            writer.write(b"GET / HTTP/1.1\r\nX-Forwarded-For: 8.8.8.8\r\nX-Forwarded-Proto: https\r\n\r\n")
            await reader.readuntil(b"word")
            own = writer.get_extra_info("sockname")
            writer.close()

    assert [(scope["client"], scope["scheme"]) for scope in scopes] == [(own, "http")]
    assert [record for record in caplog.records if record.name == "uvicorn.access"] == []
