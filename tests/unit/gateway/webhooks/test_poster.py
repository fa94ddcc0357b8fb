"""One try of a delivery, against a real server that behaves well or badly."""

import asyncio
import ssl
from collections.abc import Sequence
from typing import Any

import pytest
from aiohttp import ClientConnectorCertificateError, web

from tests.unit.gateway.webhooks.kit import Receiver
from wakeful.gateway.webhooks.poster import Poster, PostResult
from wakeful.network import checked_target
from wakeful.network.checked_target import Resolve, TargetFinder, addresses_of


def poster(*, resolve: Resolve = addresses_of, allows_private: bool = True, timeout: float = 5.0) -> Poster:
    return Poster(TargetFinder(resolve, allows_private=allows_private), timeout=timeout)


async def here(host: str) -> Sequence[str]:
    return ["127.0.0.1"]


async def test_headers_and_body_arrive_as_they_are() -> None:
    async with Receiver(200).serving() as receiver:
        url = f"http://hooks.example:{receiver.port}/hook?token=1"
        result = await poster(resolve=here).post(url, {"webhook-id": "evt_1"}, b'{"a": 1}')

    [visit] = receiver.visits
    assert result == PostResult(200, "answered 200")
    assert result.has_arrived
    assert (visit.path, visit.body) == ("/hook?token=1", b'{"a": 1}')
    assert visit.headers["host"] == f"hooks.example:{receiver.port}"
    assert visit.headers["content-type"] == "application/json"
    assert visit.headers["webhook-id"] == "evt_1"


@pytest.mark.parametrize("status", [300, 301, 302, 307, 308])
async def test_a_redirect_is_not_followed_and_is_no_success(status: int) -> None:
    async with Receiver(status).serving() as receiver:
        result = await poster().post(receiver.endpoint().url, {}, b"{}")

    assert not result.has_arrived
    assert len(receiver.visits) == 1


async def test_a_receiver_that_says_nothing_is_left_after_the_timeout() -> None:
    async def hang(request: web.BaseRequest) -> web.Response:
        await asyncio.Event().wait()
        return web.Response()

    async with Receiver(answer=hang).serving() as receiver:
        result = await poster(timeout=0.1).post(receiver.endpoint().url, {}, b"{}")

    assert result == PostResult(None, "did not answer within 0.1 s")


async def test_a_resolver_that_hangs_counts_towards_the_timeout() -> None:
    async def hang(host: str) -> Sequence[str]:
        await asyncio.Event().wait()
        return []

    result = await poster(resolve=hang, timeout=0.1).post("http://hooks.example/", {}, b"{}")

    assert result.words == "did not answer within 0.1 s"


async def test_an_answer_without_end_is_left_and_its_status_counts() -> None:
    sent = 0

    async def flood(request: web.BaseRequest) -> web.StreamResponse:
        nonlocal sent
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b"x" * 65_536)
            sent += 65_536

    async with Receiver(answer=flood).serving() as receiver:
        result = await poster().post(receiver.endpoint().url, {}, b"{}")

    assert result.has_arrived
    # No more than what fits into the buffers between the two.
    assert sent < 32 * 1024 * 1024


async def test_a_body_that_never_comes_does_not_spoil_the_status(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wakeful.gateway.webhooks.poster._READ_SECONDS", 0.3)

    async def promise(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-length": "100"})
        await response.prepare(request)
        await response.write(b"x")
        await asyncio.Event().wait()
        return response

    # The time for the head is over before the time for the body.
    async with Receiver(answer=promise).serving() as receiver:
        result = await poster(timeout=0.2).post(receiver.endpoint().url, {}, b"{}")

    assert result.has_arrived


async def test_a_receiver_that_cannot_be_reached_is_reported_in_words() -> None:
    async with Receiver().serving() as receiver:
        url = receiver.endpoint().url

    result = await poster().post(url, {}, b"{}")

    assert result.status is None
    assert result.words.startswith("cannot be reached (")
    assert "hidden" not in result.words


async def test_a_private_address_is_never_connected_to() -> None:
    async with Receiver().serving() as receiver:
        result = await poster(resolve=here, allows_private=False).post(
            f"http://hooks.example:{receiver.port}/", {}, b"{}"
        )

    assert result == PostResult(None, "is not at a public address")
    assert receiver.visits == []


async def test_the_address_that_was_checked_is_the_one_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that stands for a public address when it is checked and for a private one a moment later."""
    monkeypatch.setattr(checked_target, "is_public", lambda address: address == "127.0.0.1")
    answers = [["127.0.0.1"], ["127.0.0.2"]]

    async def rebinding(host: str) -> Sequence[str]:
        return answers.pop(0)

    public, private = Receiver(200), Receiver(200)
    async with public.serving() as receiver, private.serving("127.0.0.2", receiver.port):
        sender = poster(resolve=rebinding, allows_private=False)
        url = f"http://hooks.example:{receiver.port}/"
        first = await sender.post(url, {}, b"{}")
        second = await sender.post(url, {}, b"{}")

    assert first.has_arrived
    assert second.words == "is not at a public address"
    assert (len(public.visits), len(private.visits)) == (1, 0)


async def test_tls_asks_for_the_name_and_not_for_the_address() -> None:
    asked: list[str | None] = []
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    # Without a certificate the handshake fails, after the name was said.
    context.sni_callback = lambda _, name, __: asked.append(name)
    server = await asyncio.start_server(lambda _, __: None, "127.0.0.1", 0, ssl=context)
    port = server.sockets[0].getsockname()[1]
    async with server:
        result = await poster(resolve=here).post(f"https://hooks.example:{port}/", {}, b"{}")

    assert asked == ["hooks.example"]
    assert result.words.startswith("cannot be reached (")


async def test_a_proxy_of_the_environment_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Receiver(200).serving() as receiver, Receiver(200).serving() as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.port}")
        result = await poster(resolve=here).post(f"http://hooks.example:{receiver.port}/", {}, b"{}")

    assert result.has_arrived
    assert (len(receiver.visits), len(proxy.visits)) == (1, 0)


async def test_a_receiver_without_a_valid_certificate_is_told_apart() -> None:
    place: Any = "hooks.example"

    async def resolve(host: str) -> Sequence[str]:
        raise ClientConnectorCertificateError(place, ssl.SSLCertVerificationError("self-signed, of hidden"))

    result = await poster(resolve=resolve).post("https://hooks.example/", {}, b"{}")

    assert result == PostResult(None, "has no valid certificate")
