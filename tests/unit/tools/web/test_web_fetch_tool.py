"""`web_fetch` against a real server on the loopback interface."""

import asyncio
import gc
import gzip
import ssl
import zlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest
from aiohttp import web

from tests.unit.tools.kit import tool_context
from wakeful.network.checked_target import Resolve, TargetFinder, addresses_of
from wakeful.tools.web.fetcher import MOST_BYTES, Fetcher
from wakeful.tools.web.web_fetch_tool import WebFetch

CERTIFICATE = Path(__file__).parents[2] / "agent/providers/http/localhost.pem"


@asynccontextmanager
async def serving(answer: Any, tls: ssl.SSLContext | None = None) -> AsyncIterator[str]:
    server = web.ServerRunner(web.Server(answer))
    await server.setup()
    site = web.TCPSite(server, "127.0.0.1", 0, ssl_context=tls)
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
    for status in (400, 404):
        async with serving(always(b"no", status)) as place:
            answer = orjson.loads(await fetched(f"http://{place}/"))
        assert answer["code"] == "http_status"
        assert answer["error"].startswith(f"http://{place}/ answered {status} ")
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
        answer = orjson.loads(await fetched(f"http://{place}/"))

    assert answer == {"error": f"http://{place}/ sends a damaged body.", "code": "unreachable"}


async def test_a_body_may_be_packed_in_ways_that_are_known() -> None:
    packed = {"gzip": gzip.compress(b"words"), "deflate": zlib.compress(b"words"), "identity": b"words", "": b"words"}
    for coding, body in packed.items():
        async with serving(always(body, content_type="text/plain", content_encoding=coding)) as place:
            assert (await fetched(f"http://{place}/")).splitlines()[1:] == ["words"]
    async with serving(always(b"x", content_type="text/plain", content_encoding="zip")) as place:
        answer = orjson.loads(await fetched(f"http://{place}/"))
    assert answer == {"error": f"http://{place}/ sends its body as zip, which cannot be read.", "code": "binary"}


async def test_a_page_of_2_mib_is_read_whole_and_of_a_longer_one_the_beginning() -> None:
    page = b"<p>a<!--".ljust(2 * 1024 * 1024 - 4, b"-") + b"-->b"
    async with serving(always(page, content_type="text/html")) as place:
        assert (await fetched(f"http://{place}/")).splitlines()[1:] == ["ab"]
    async with serving(always(page + b"c", content_type="text/html")) as place:
        answer = await fetched(f"http://{place}/")
    assert answer.splitlines()[1:] == ["ab", "[Cut: only the first 2 MiB were read.]"]


async def test_a_page_that_is_not_read_to_its_end_is_closed_and_not_left_to_the_garbage_collector() -> None:
    complaints: list[str] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: complaints.append(context["message"]))
    async with serving(always(bytes(4 * MOST_BYTES), 404)) as place:
        # aiohttp says only then that a response was not closed.
        loop.set_debug(True)

        code = await code_of(f"http://{place}/")
        gc.collect()

    assert (code, complaints) == ("http_status", [])


async def test_a_text_is_cut_after_as_many_characters_as_were_asked_for() -> None:
    async with serving(always(b"12345", content_type="text/plain")) as place:
        whole, cut = await fetched(f"http://{place}/", limit=5), await fetched(f"http://{place}/", limit=4)
        refused = await code_of(f"http://{place}/", limit=0)

    assert (whole.splitlines()[1:], cut.splitlines()[1:]) == (
        ["12345"],
        ["1234", "[Cut: the text has 5 characters.]"],
    )
    assert refused == "invalid_arguments"


async def test_a_certificate_that_nobody_vouches_for_is_told() -> None:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(CERTIFICATE)
    async with serving(always(b"secret"), tls) as place:
        answer = orjson.loads(await fetched(f"https://{place}/"))

    assert answer == {"error": f"https://{place}/ has no valid certificate.", "code": "unreachable"}


async def test_a_server_without_tls_gives_no_secure_connection() -> None:
    async with serving(always(b"plain")) as place:
        answer = orjson.loads(await fetched(f"https://{place}/"))

    assert answer["error"] == f"https://{place}/ cannot be reached: no secure connection can be made."


async def test_an_address_is_a_text() -> None:
    tool = WebFetch(Fetcher(TargetFinder(addresses_of, allows_private=False)))

    answer = await tool.run({"url": 7}, tool_context(Path("/")))

    assert orjson.loads(answer.text) == {"error": "url must be a string.", "code": "invalid_arguments"}


async def test_a_page_without_a_type_is_html_if_it_looks_like_it() -> None:
    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        body = {"/html": b" <HTML><b>words</b>", "/text": b"<b>words</b>", "/bytes": b"a\0"}[request.path]
        response = web.Response(body=body)
        response.headers["content-type"] = ""
        return response

    async with serving(answer) as place:
        html, text = await fetched(f"http://{place}/html"), await fetched(f"http://{place}/text")
        code = await code_of(f"http://{place}/bytes")

    assert html.splitlines() == [f"[http://{place}/html, 200, unknown type]", "words"]
    assert (text.splitlines()[1:], code) == (["<b>words</b>"], "binary")


async def test_a_body_that_nobody_reads_to_its_end_is_closed() -> None:
    read = asyncio.Event()

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse(status=302, headers={"location": "/there"})
        await response.prepare(request)
        await response.write(b"more to come")
        await read.wait()
        return response

    async with serving(answer) as place:
        fetcher = Fetcher(TargetFinder(addresses_of, allows_private=True))
        async with fetcher._answer(f"http://{place}/") as (_, response):
            assert not response.closed
        read.set()

    assert response.closed


async def test_a_redirect_that_leads_nowhere_is_a_page() -> None:
    async with serving(always(b"here", 302, content_type="text/plain")) as place:
        assert (await fetched(f"http://{place}/")).splitlines() == [f"[http://{place}/, 302, text/plain]", "here"]


@pytest.mark.parametrize(
    ("body", "type", "words"),
    [
        ("café".encode("latin-1"), "text/plain; charset=ISO-8859-1", "café"),
        ('<meta charset="windows-1251"><p>да'.encode("cp1251"), "text/html", "да"),
        ("да".encode("utf-16"), "text/plain", "да"),
        ("да".encode("utf-8-sig"), "text/plain; charset=latin-1", "да"),
        ("<meta charset=utf-16><p>да".encode(), "text/html", "да"),
        ("<meta charset=windows-1251>да".encode(), "text/plain", "<meta charset=windows-1251>да"),
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
