"""`web_fetch` against a real server on the loopback interface."""

import asyncio
import gzip
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest
from aiohttp import web

from tests.unit.tools.kit import tool_context
from wakeful.network.checked_target import Resolve, TargetFinder, addresses_of
from wakeful.tools.web.fetcher import Fetcher
from wakeful.tools.web.web_fetch_tool import WebFetch


@asynccontextmanager
async def serving(answer: Any) -> AsyncIterator[str]:
    server = web.ServerRunner(web.Server(answer))
    await server.setup()
    site = web.TCPSite(server, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"127.0.0.1:{server.addresses[0][1]}"
    finally:
        await server.cleanup()


async def fetched(
    url: str,
    *,
    resolve: Resolve = addresses_of,
    allows_private: bool = True,
    seconds: float = 20.0,
    **arguments: Any,
) -> str:
    tool = WebFetch(Fetcher(TargetFinder(resolve, allows_private=allows_private), seconds))
    return (await tool.run({"url": url, **arguments}, tool_context(Path("/")))).text


def always(body: bytes, status: int = 200, **headers: str) -> Any:
    async def answer(request: web.BaseRequest) -> web.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return web.Response(body=body, status=status, headers=named)

    return answer


async def code_of(*args: Any, **arguments: Any) -> str:
    return str(orjson.loads(await fetched(*args, **arguments))["code"])


async def test_a_page_is_read_as_text_after_a_line_that_names_it() -> None:
    page = b'<html><title>T</title><h1>Head</h1><p>A <a href="/x">link</a>.<script>bad()</script></p></html>'
    async with serving(always(page, content_type="text/html")) as place:
        answer = await fetched(f"http://{place}/a?b=1#part")

    assert answer == f"[http://{place}/a?b=1, 200, text/html]\nT\n\n# Head\n\nA link (http://{place}/x)."


async def test_redirects_are_followed_five_times_and_each_hop_is_resolved_once() -> None:
    looked_up: list[str] = []

    async def resolve(host: str) -> Sequence[str]:
        looked_up.append(host)
        return ["127.0.0.1"] if looked_up.count(host) == 1 else ["192.0.2.1"]

    async def answer(request: web.BaseRequest) -> web.Response:
        step = int(request.path[1:])
        if step == 0:
            return web.Response(text="there")
        port = request.url.port
        return web.Response(status=302, headers={"location": f"http://hop{step - 1}.example:{port}/{step - 1}"})

    async with serving(answer) as place:
        port = place.rpartition(":")[2]
        answered = await fetched(f"http://hop5.example:{port}/5", resolve=resolve)
        looked_up.clear()
        code = await code_of(f"http://hop6.example:{port}/6", resolve=resolve)

    assert answered.splitlines() == [f"[http://hop0.example:{port}/0, 200, text/plain]", "there"]
    assert code == "unreachable"
    assert looked_up == [f"hop{step}.example" for step in (6, 5, 4, 3, 2, 1)]


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "0x7f.0.0.1",
        "0",
        "localhost",
        "LOCALHOST",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "[2001:0:1::]",
        "[fe80::1]",
        "[fc00::1]",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "\uff11\uff12\uff17.0.0.1",
    ],
)
async def test_addresses_that_are_not_public_are_closed_in_every_notation(host: str) -> None:
    assert await code_of(f"http://{host}:9/", allows_private=False) == "blocked_address"


async def test_a_name_with_one_private_address_and_a_redirect_to_one_are_closed() -> None:
    async def resolve(host: str) -> Sequence[str]:
        return ["93.184.216.34", "10.0.0.1"]

    assert await code_of("http://twofold.example/", resolve=resolve, allows_private=False) == "blocked_address"


async def test_a_redirect_to_a_private_address_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wakeful.network.checked_target.is_public", lambda address: address == "127.0.0.1")
    async with serving(always(b"", 302, location="http://169.254.169.254/latest/meta-data")) as place:
        assert await code_of(f"http://{place}/", allows_private=False) == "blocked_address"


@pytest.mark.parametrize(
    "location", ["ftp://127.0.0.1/", "file:///etc/passwd", "http://user:word@127.0.0.1/", "http://["]
)
async def test_redirects_elsewhere_are_not_followed(location: str) -> None:
    async with serving(always(b"", 302, location=location)) as place:
        assert await code_of(f"http://{place}/") == "unreachable"


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.com/",
        "example.com",
        "http://",
        "http://user@h.example/",
        "http://a:b@h.example/",
        "http://[x/",
        "http:// 127.0.0.1/",
        f"http://h.example/{'a' * 8_000}",
    ],
)
async def test_other_addresses_are_invalid(url: str) -> None:
    assert await code_of(url) == "invalid_arguments"


async def test_statuses_and_types_that_are_no_text_are_failures() -> None:
    async with serving(always(b"no", 404)) as place:
        assert await code_of(f"http://{place}/") == "http_status"
    async with serving(always(b"\x89PNG", content_type="image/png")) as place:
        assert await code_of(f"http://{place}/") == "binary"
    async with serving(always(b"a\0b", content_type="text/plain")) as place:
        assert await code_of(f"http://{place}/") == "binary"
    assert await code_of(f"http://{place}/") == "unreachable"


@pytest.mark.parametrize("host", ["example..org", f"{'a' * 64}.org"])
async def test_a_name_that_cannot_exist_is_unreachable(host: str) -> None:
    answer = orjson.loads(await fetched(f"http://{host}/"))

    assert answer == {"error": f"http://{host}/ cannot be reached: the name is not valid.", "code": "unreachable"}


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "the connection was closed"),
        (b"SSH-2.0-x\r\n\r\n", "its answer is not valid HTTP"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nshort", "its body broke off"),
    ],
)
async def test_a_server_that_breaks_off_is_unreachable_in_plain_words(raw: bytes, reason: str) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(raw)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    place = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        broken = orjson.loads(await fetched(f"http://{place}/"))
    refused = orjson.loads(await fetched(f"http://{place}/"))

    assert broken["error"] == f"http://{place}/ cannot be reached: {reason}."
    assert refused["error"] == f"http://{place}/ cannot be reached: connection refused."


async def test_a_body_that_never_ends_in_time_is_a_timeout() -> None:
    is_over = asyncio.Event()

    async def drip(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-type": "text/plain"})
        await response.prepare(request)
        await response.write(b"x")
        await is_over.wait()
        return response

    async with serving(drip) as place:
        assert await code_of(f"http://{place}/", seconds=0.3) == "timeout"
        is_over.set()


async def test_a_packed_body_is_unpacked_up_to_2_mib() -> None:
    bomb = gzip.compress(b"x" * (64 * 1024 * 1024))
    async with serving(always(bomb, content_type="text/plain", content_encoding="gzip")) as place:
        answer = await fetched(f"http://{place}/", limit=10)

    assert answer.splitlines()[1:] == ["x" * 10, "[Cut: the text has 2,097,152 characters or more.]"]


async def test_a_broken_packed_body_is_a_failure() -> None:
    async with serving(always(b"not gzip", content_type="text/plain", content_encoding="gzip")) as place:
        assert await code_of(f"http://{place}/") == "unreachable"


@pytest.mark.parametrize(
    ("body", "type", "words"),
    [
        ("café".encode("latin-1"), "text/plain; charset=ISO-8859-1", "café"),
        ('<meta charset="windows-1251"><p>да'.encode("cp1251"), "text/html", "да"),
        ("да".encode("utf-16"), "text/plain", "да"),
        ("да".encode(), "text/plain; charset=no-such", "да"),
        ("да".encode(), "text/plain; charset=rot13", "да"),
        (b"a-b", "text/plain; charset=punycode", "a-b"),
        (rb"\u0041", "text/plain; charset=unicode_escape", r"\u0041"),
        (b'{"a": 1}', "application/ld+json", '{"a": 1}'),
    ],
)
async def test_the_charset_comes_from_the_page_and_its_header(body: bytes, type: str, words: str) -> None:
    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-type": type})
        await response.prepare(request)
        await response.write(body)
        return response

    async with serving(answer) as place:
        answered = await fetched(f"http://{place}/")

    assert answered.splitlines()[1:] == [words]


async def test_sends_no_cookie_and_no_password() -> None:
    seen: dict[str, str] = {}

    async def answer(request: web.BaseRequest) -> web.Response:
        seen.update(request.headers)
        return (
            web.Response(status=302, headers={"location": "/b", "set-cookie": "a=b"})
            if request.path == "/a"
            else web.Response(text="x")
        )

    async with serving(answer) as place:
        await fetched(f"http://{place}/a")

    assert {name.lower() for name in seen} == {"host", "user-agent", "accept", "accept-encoding", "connection"}


async def test_an_operators_proxy_is_used_and_private_names_stay_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    async def proxy(request: web.BaseRequest) -> web.Response:
        asked.append(str(request.raw_path))
        return web.Response(text="by proxy")

    async def resolve(host: str) -> Sequence[str]:
        if host == "inner.example":
            return ["10.0.0.1"]
        raise OSError("no such name here")

    async with serving(proxy) as place:
        monkeypatch.setenv("http_proxy", f"http://user:word@{place}")
        answer = await fetched("http://outer.example/x", resolve=resolve, allows_private=False)
        code = await code_of("http://inner.example/", resolve=resolve, allows_private=False)

    assert answer.splitlines()[1:] == ["by proxy"]
    assert asked == ["http://outer.example/x"]
    assert code == "blocked_address"


async def test_a_proxy_that_refuses_is_not_shown_with_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(always(b"", 407)) as place:
        monkeypatch.setenv("https_proxy", f"http://user:word@{place}")
        answer = await fetched("https://8.8.8.8/")

    assert "https://8.8.8.8/ cannot be reached" in answer
    assert "word" not in answer
