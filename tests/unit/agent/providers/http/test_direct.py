"""Exchanges with real peers: connections that are kept, go stale, break, or speak TLS."""

import asyncio
import gzip
import os
import ssl
import zlib
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
import uvloop

from tests.unit.agent.providers.http.peer import Line, answer, client_of, serving, whole
from wakeful.agent.providers.http import idle_connections
from wakeful.errors import ModelError

_CERTIFICATE = Path(__file__).parent / "localhost.pem"
Run = Callable[[Coroutine[Any, Any, None]], None]


async def _keep_answering(line: Line) -> None:
    while await line.request():
        await line.say(whole(b"hello"))


async def _error_of(script: Callable[[Line], Coroutine[Any, Any, None]], *, idle_seconds: float = 5.0) -> ModelError:
    async with serving(script) as peer, client_of(peer.url, idle_seconds=idle_seconds) as client:
        with pytest.raises(ModelError) as caught:
            await answer(client)
    return caught.value


async def test_a_request_has_the_length_of_its_body_and_the_name_of_the_host() -> None:
    async with serving(_keep_answering) as peer, client_of(f"{peer.url}/chat?a=b") as client:
        await answer(client, b'{"a": 1}')

        head = f"POST /v1/chat?a=b HTTP/1.1\r\nhost: 127.0.0.1:{peer.port}\r\naccept: */*\r\ncontent-length: 8\r\n\r\n"
        assert peer.requests == [head.encode() + b'{"a": 1}']


async def test_a_connection_serves_one_request_after_another() -> None:
    async with serving(_keep_answering) as peer, client_of(peer.url) as client:
        assert [await answer(client) for _ in range(3)] == [b"hello"] * 3

        assert peer.connections == 1


async def test_a_response_that_is_left_early_takes_its_connection_with_it() -> None:
    gone = asyncio.Event()

    async def script(line: Line) -> None:
        await line.request()
        await line.say(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhello")
        await line.until_gone()
        gone.set()

    async with serving(script) as peer, client_of(peer.url) as client:
        response = await client.send("POST", b"{}")
        assert await response.read() == b"hello"

        response.close()

        await asyncio.wait_for(gone.wait(), 5)


async def test_a_server_may_want_every_connection_used_once() -> None:
    async def script(line: Line) -> None:
        while await line.request():
            await line.say(whole(b"hello", "connection: close"))

    async with serving(script) as peer, client_of(peer.url) as client:
        _ = [await answer(client) for _ in range(2)]

        assert peer.connections == 2


async def test_an_idle_connection_is_closed_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idle_connections, "_KEPT_SECONDS", 0.01)
    gone = asyncio.Event()

    async def script(line: Line) -> None:
        await _keep_answering(line)
        gone.set()

    async with serving(script) as peer, client_of(peer.url) as client:
        await answer(client)

        await asyncio.wait_for(gone.wait(), 5)
        await answer(client)
        assert peer.connections == 2


async def test_a_kept_connection_that_died_is_replaced_without_an_error() -> None:
    async def script(line: Line) -> None:
        # The second request is read, and the connection closed without a word: the worst kind of stale.
        await line.request()
        await line.say(whole(b"hello"))
        await line.request()

    async with serving(script) as peer, client_of(peer.url) as client:
        assert [await answer(client) for _ in range(2)] == [b"hello"] * 2

        assert (len(peer.requests), peer.connections) == (3, 2)


async def test_a_new_connection_that_dies_is_not_replaced() -> None:
    async def script(line: Line) -> None:
        await line.request()

    async with serving(script) as peer, client_of(peer.url) as client:
        with pytest.raises(ModelError, match="cannot be reached") as caught:
            await answer(client)

        assert (peer.connections, caught.value.passing) == (1, True)


async def test_a_kept_connection_that_dies_in_mid_answer_is_not_replaced() -> None:
    async def script(line: Line) -> None:
        await line.request()
        await line.say(whole(b"hello"))
        await line.request()
        await line.say(b"HTTP/1.1 200 O")

    async with serving(script) as peer, client_of(peer.url) as client:
        await answer(client)
        with pytest.raises(ModelError, match="cannot be reached"):
            await answer(client)

        assert (len(peer.requests), peer.connections) == (2, 1)


async def test_words_that_were_not_asked_for_do_not_answer_the_next_request() -> None:
    async def script(line: Line) -> None:
        await line.request()
        await line.say(whole(b"hello") + whole(b"unasked"))
        await line.until_gone()

    async with serving(script) as peer, client_of(peer.url) as client:
        assert [await answer(client) for _ in range(2)] == [b"hello"] * 2

        assert peer.connections == 2


async def test_interim_responses_are_passed_over() -> None:
    async def script(line: Line) -> None:
        await line.request()
        hints = b"HTTP/1.1 103 Early Hints\r\ncontent-type: text/html\r\nlink: </a>\r\n\r\n"
        await line.say(b"HTTP/1.1 100 Continue\r\n\r\n", hints, whole(b"{}", "content-type: application/json"))

    async with serving(script) as peer, client_of(peer.url) as client:
        response = await client.send("POST", b"{}")

        assert (response.status, response.content_type, await response.read_whole()) == (200, "application/json", b"{}")
        response.close()


async def test_a_body_may_end_with_the_connection() -> None:
    async def script(line: Line) -> None:
        await line.request()
        await line.say(b"HTTP/1.0 200 OK\r\n\r\n", b"until ", b"the end")

    async with serving(script) as peer, client_of(peer.url) as client:
        assert await answer(client) == b"until the end"


@pytest.mark.parametrize(
    "said",
    [
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n10\r\nhalf",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nnonsense\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 12\r\n\r\n"
        + gzip.compress(b"hello", mtime=0)[:12],
    ],
)
async def test_a_body_that_breaks_off_or_is_damaged_is_an_error(said: bytes) -> None:
    async def script(line: Line) -> None:
        await line.request()
        await line.say(said)

    error = await _error_of(script)

    assert (error.code, error.passing) == ("model_stream_broken", True)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (b"220 mail.example ESMTP\r\n", "its answer is not HTTP"),
        (b"HTTP/1.1 101 OK\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n", "its answer is not HTTP"),
        (b"HTTP/1.1 200 OK\r\nx: " + b"a" * 200_000, "the head of its answer is too large"),
        (b"HTTP/1.1 200 OK\r\n" + b"x: a\r\n" * 50_000, "the head of its answer is too large"),
        (b"HTTP/1.1 100 Continue\r\n\r\n" * 10_000, "the head of its answer is too large"),
    ],
)
async def test_an_answer_that_cannot_be_understood_is_an_error_that_says_so(said: bytes, reason: str) -> None:
    async def script(line: Line) -> None:
        await line.request()
        try:
            await line.say(said)
        except ConnectionError:
            pass
        await line.until_gone()

    error = await _error_of(script)

    assert error.code == "model_unavailable"
    assert f"cannot be reached ({reason})" in str(error)


async def test_silence_in_mid_body_is_an_error_also_where_the_body_would_end_with_the_connection() -> None:
    async def script(line: Line) -> None:
        await line.request()
        await line.say(b"HTTP/1.1 200 OK\r\n\r\nhello")
        await line.until_gone()

    error = await _error_of(script, idle_seconds=0.05)

    assert error.code == "model_timeout"
    assert "said nothing for 0.05 s" in str(error)


@pytest.mark.parametrize(
    ("coding", "packed"),
    [
        ("gzip", gzip.compress(b"hello " * 100_000, mtime=0)),
        ("deflate", zlib.compress(b"hello " * 100_000)),
        ("Deflate", zlib.compress(b"hello " * 100_000, wbits=-15)),
    ],
)
async def test_a_body_that_is_compressed_unasked_is_unpacked_in_small_pieces(coding: str, packed: bytes) -> None:
    async def script(line: Line) -> None:
        await line.request()
        await line.say(whole(packed, f"content-encoding: {coding}"))

    async with serving(script) as peer, client_of(peer.url) as client:
        response = await client.send("POST", b"{}")
        pieces = []
        while piece := await response.read():
            pieces.append(piece)
        response.close()

    assert b"".join(pieces) == b"hello " * 100_000
    assert max(len(piece) for piece in pieces) <= 65_536


async def test_cancelling_a_request_closes_its_connection() -> None:
    asked, gone = asyncio.Event(), asyncio.Event()

    async def script(line: Line) -> None:
        await line.request()
        asked.set()
        await line.until_gone()
        gone.set()

    async with serving(script) as peer, client_of(peer.url) as client:
        asking = asyncio.create_task(answer(client))
        await asked.wait()
        asking.cancel()

        with pytest.raises(asyncio.CancelledError):
            await asking
        await asyncio.wait_for(gone.wait(), 5)


async def test_requests_that_begin_together_share_one_lookup(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = asyncio.get_running_loop()
    resolve, asked = loop.getaddrinfo, []

    async def look_up(host: Any, port: Any, **how: Any) -> Any:
        asked.append(host)
        if len(asked) == 1:
            raise OSError("no such host")
        return await resolve("127.0.0.1", port, **how)

    monkeypatch.setattr(loop, "getaddrinfo", look_up)
    async with serving(_keep_answering) as peer, client_of(f"http://model.example:{peer.port}") as client:
        with pytest.raises(ModelError, match="no such host"):
            await answer(client)

        assert await asyncio.gather(*(answer(client) for _ in range(20))) == [b"hello"] * 20
        assert asked == ["model.example"] * 2


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run])
def test_tls_trusts_the_certificates_of_ssl_cert_file_and_names_its_host(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(_CERTIFICATE))
    names: list[str | None] = []
    tls = _server_tls()
    tls.sni_callback = lambda connection, name, context: names.append(name)

    async def ask() -> None:
        async with serving(_keep_answering, tls) as peer, client_of(f"https://localhost:{peer.port}/v1") as client:
            assert [await answer(client) for _ in range(2)] == [b"hello"] * 2
            assert peer.connections == 1

    run(ask())

    assert names == ["localhost"]


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run])
@pytest.mark.parametrize(("host", "is_known"), [("localhost", False), ("127.0.0.1", True)])
def test_tls_refuses_an_unknown_certificate_and_another_name(
    run: Run, host: str, is_known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(_CERTIFICATE) if is_known else os.devnull)

    async def ask() -> None:
        async with serving(_keep_answering, _server_tls()) as peer, client_of(f"https://{host}:{peer.port}") as client:
            with pytest.raises(ModelError, match="has no valid certificate") as caught:
                await answer(client)

            assert (caught.value.code, caught.value.passing) == ("model_unavailable", False)
            assert peer.requests == []

    run(ask())


async def test_a_server_without_tls_is_an_error_in_words() -> None:
    async def script(line: Line) -> None:
        await line.say(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await line.until_gone()

    async with serving(script) as peer, client_of(peer.url.replace("http:", "https:")) as client:
        with pytest.raises(ModelError, match=r"cannot be reached \(wrong version number\)"):
            await answer(client)


def _server_tls() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(_CERTIFICATE)
    return context
