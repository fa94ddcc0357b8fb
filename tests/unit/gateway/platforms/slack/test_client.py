"""Requests to Slack: what an answer, or none, says about whether they were acted on. And files."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest
from aiohttp import ClientHttpProxyError, ClientPayloadError, InvalidURL, web
from yarl import URL

from tests.unit.gateway.platforms.slack.client import ScriptedClient
from tests.unit.gateway.webhooks.kit import Receiver
from wakeful.gateway.messaging.platform import LookedUp, Message, NotTaken, Refused, Unanswered, Whereabouts
from wakeful.gateway.platforms.slack.client import SlackClient, SlackRefusal, _own_errors
from wakeful.gateway.platforms.slack.files import SlackFiles
from wakeful.gateway.platforms.slack.search import ABSENT
from wakeful.gateway.platforms.slack.wire import SlackFile, SlackMessage
from wakeful.model.messaging.post import Post, PostKind
from wakeful.model.session import Address

POST = Post("post_1", "key", Address("slack", "C1"), PostKind.FILE, "")


@asynccontextmanager
async def asking(status: int, body: Any = "", **headers: str) -> AsyncIterator[tuple[SlackClient, Receiver, str]]:
    """Yield a client, the server that answers each of its requests like this, and its address."""
    content = body if isinstance(body, bytes) else orjson.dumps(body)
    kinds = {"content-type": "application/json"} | {name.replace("_", "-"): value for name, value in headers.items()}

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        if status == 0:
            assert request.transport is not None
            request.transport.abort()
        return web.Response(status=status or 200, body=content, headers=kinds)

    async with Receiver(answer=answer).serving() as server:
        url = f"http://127.0.0.1:{server.port}"
        client = SlackClient("xoxb-1", "xapp-1", f"{url}/api/", timeout=10.0)
        try:
            yield client, server, url
        finally:
            await client.close()


def refused(code: str) -> dict[str, Any]:
    return {"ok": False, "error": code}


@pytest.mark.parametrize(
    ("status", "body", "headers", "seconds"),
    [
        (429, refused("ratelimited"), {"Retry_After": "7"}, 7.0),
        (429, b"", {"Retry_After": "soon"}, 1.0),
        (200, refused("rate_limited"), {}, 1.0),
        (404, b"<html>", {}, 0.0),
        (300, b"<html>", {}, 0.0),
    ],
)
async def test_what_slack_has_surely_not_done_is_asked_for_again(
    status: int, body: Any, headers: dict[str, str], seconds: float
) -> None:
    async with asking(status, body, **headers) as (client, _, _):
        with pytest.raises(NotTaken) as caught:
            await client.call("auth.test")
    assert caught.value.seconds == seconds


@pytest.mark.parametrize(
    ("status", "body"),
    [(500, b""), (503, refused("x")), (200, refused("internal_error")), (200, b"<html>"), (0, b"")],
)
async def test_what_slack_may_have_done_is_not_known(status: int, body: Any) -> None:
    async with asking(status, body) as (client, _, _):
        with pytest.raises(Unanswered):
            await client.call("auth.test")


async def test_a_refusal_says_slacks_word_for_it() -> None:
    async with asking(200, refused("invalid_auth")) as (client, _, _):
        for call in (client.call("auth.test"), client.call_form("auth.test"), client.scopes()):
            with pytest.raises(SlackRefusal, match=r"Slack refused auth\.test: invalid_auth") as caught:
                await call
            assert caught.value.code == "invalid_auth"


async def test_a_line_is_opened_with_the_token_of_the_app_and_all_else_asked_with_the_bots() -> None:
    async with asking(200, {"ok": True, "url": "wss://slack.example"}) as (client, server, _):
        assert await client.open_line() == "wss://slack.example"
        await client.call("auth.test")

    assert [visit.headers["authorization"] for visit in server.visits] == ["Bearer xapp-1", "Bearer xoxb-1"]


async def test_a_client_that_was_closed_can_ask_again() -> None:
    async with asking(200, {"ok": True}) as (client, _, _):
        for _ in range(2):
            await client.call("auth.test")
            session = client.session
            await client.close()
            assert session.closed


async def test_the_scopes_of_the_token_are_those_that_slack_names() -> None:
    async with asking(200, {"ok": True}, x_oauth_scopes="chat:write, files:read,") as (client, _, _):
        assert await client.scopes() == {"chat:write", "files:read"}
    async with asking(200, {"ok": True}) as (client, _, _):
        assert await client.scopes() == frozenset()


@pytest.mark.parametrize(
    ("status", "error"),
    [(429, Unanswered), (500, Unanswered), (302, Refused), (403, Refused), (499, Refused), (0, Unanswered)],
)
async def test_a_file_that_is_not_handed_out_is_refused_or_asked_for_again(status: int, error: type[Exception]) -> None:
    async with asking(status) as (client, _, url):
        with pytest.raises(error):
            [piece async for piece in client.download(f"{url}/files/1")]


async def test_a_file_is_read_with_the_token() -> None:
    async with asking(200, b"content") as (client, server, url):
        assert b"".join([piece async for piece in client.download(f"{url}/files/1")]) == b"content"
    assert server.visits[0].headers["authorization"] == "Bearer xoxb-1"


@pytest.mark.parametrize(
    ("url", "is_slacks"),
    [
        ("https://files.slack.com/a", True),
        ("https://slack.com/a", True),
        ("http://files.slack.com/a", False),
        ("https://evilslack.com/a", False),
        ("https://slack.com.evil.example/a", False),
        ("http://localhost:1/a", True),
        ("http://localhost:2/a", False),
    ],
)
def test_the_token_is_shown_to_slack_alone(url: str, is_slacks: bool) -> None:

    assert SlackClient("xoxb", "xapp", "http://localhost:1/api/", timeout=1.0)._is_slacks(URL(url)) is is_slacks


@pytest.mark.parametrize("status", [400, 404])
async def test_an_answer_to_a_press_that_slack_does_not_take_is_refused(status: int) -> None:
    async with asking(status) as (client, _, url):
        with pytest.raises(SlackRefusal, match=f"HTTP {status}"):
            await client.answer(f"{url}/press", {"text": "Approved."})
    async with asking(200) as (client, server, url):
        await client.answer(f"{url}/press", {"text": "Approved."})
    assert orjson.loads(server.visits[0].body) == {"text": "Approved."}


async def test_an_answer_to_a_press_on_a_line_that_is_cut_does_not_quote_its_address() -> None:
    async with asking(0) as (client, _, url):
        with pytest.raises(Unanswered, match=r"^The line to Slack was cut \(ServerDisconnectedError\)\.$"):
            await client.answer(f"{url}/secret", {"text": "Approved."})


@pytest.mark.parametrize("status", [201, 500, 0])
async def test_bytes_that_slack_did_not_take_are_brought_again(status: int, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"content")
    async with asking(status) as (client, _, url):
        with pytest.raises(NotTaken):
            await client.upload(f"{url}/upload", path)
    async with asking(200) as (client, server, url):
        await client.upload(f"{url}/upload", path)
    assert server.visits[0].body == b"content"


class Uploads(ScriptedClient):
    def __init__(self, shown: Any) -> None:
        place = {"upload_url": "https://files.slack.com/upload", "file_id": "F1"}
        super().__init__({"files.getUploadURLExternal": lambda _: place, "files.info": lambda _: {"file": shown}})
        self.shown = shown

    async def upload(self, url: str, path: Path) -> None:
        self.calls.append(("upload", {"url": url, "name": path.name}))

    async def call_form(self, method: str, **params: str) -> Any:
        self.calls.append((method, params))
        if isinstance(self.shown, Exception):
            raise self.shown
        return {"files": [self.shown]} if self.shown else {}


class Found:
    """A search that finds these messages."""

    def __init__(self, *messages: SlackMessage) -> None:
        self.messages = messages

    async def since_attempt(self, post: Post) -> list[SlackMessage]:
        return list(self.messages)


SHARED = {"shares": {"public": {"C2": [{"ts": "1.0"}], "C1": [{"ts": "5.0"}, {"ts": "6.0"}]}}}


def a_file(tmp_path: Path) -> Path:
    path = tmp_path / "plot.png"
    path.write_bytes(b"picture")
    return path


@pytest.mark.parametrize(("shown", "message_id"), [(SHARED, "5.0"), ({}, "F1"), ({"shares": None}, "F1")])
async def test_a_file_is_shown_in_its_channel_now_or_later(shown: Any, message_id: str, tmp_path: Path) -> None:
    client: Any = Uploads(shown)
    files = SlackFiles(client, Found())  # type: ignore[arg-type]

    assert await files.send(POST, a_file(tmp_path), Message("here"), "1.5") == message_id
    assert client.calls[0] == ("files.getUploadURLExternal", {"filename": "plot.png", "length": 7})
    assert client.calls[-1][1] == {
        "files": '[{"id":"F1","title":"plot.png"}]',
        "channel_id": "C1",
        "initial_comment": "here",
        "thread_ts": "1.5",
    }
    # What was answered is not asked for: only another process would look for it, among the messages.
    assert await files.find(POST, a_file(tmp_path), "UBOT") == ABSENT
    assert client.calls[-1][0] != "files.info"


async def test_a_file_without_an_answer_is_asked_for_by_its_id(tmp_path: Path) -> None:
    client: Any = Uploads(Unanswered("Cut."))
    files = SlackFiles(client, Found())  # type: ignore[arg-type]
    with pytest.raises(Unanswered):
        await files.send(POST, a_file(tmp_path), Message(""), "")
    assert "initial_comment" not in client.calls[-1][1]
    assert "thread_ts" not in client.calls[-1][1]

    client.answers["files.info"] = lambda _: {"file": SHARED}
    assert await files.find(POST, a_file(tmp_path), "UBOT") == LookedUp(Whereabouts.FOUND, "5.0")
    client.answers["files.info"] = lambda _: {"file": {}}
    assert await files.find(POST, a_file(tmp_path), "UBOT") == ABSENT


async def test_a_file_that_another_process_has_sent_is_found_by_its_name(tmp_path: Path) -> None:
    mine = SlackMessage(ts="5.0", user="UBOT", files=[SlackFile(name="a.txt"), SlackFile(name="plot.png")])
    others = [
        SlackMessage(ts="1.0", user="UBOT"),
        SlackMessage(ts="2.0", user="UBOT", files=[SlackFile(name="other.png")]),
        SlackMessage(ts="3.0", user="U1", files=[SlackFile(name="plot.png")]),
    ]
    files = SlackFiles(Uploads({}), Found(*others, mine))  # type: ignore[arg-type]

    assert await files.find(POST, a_file(tmp_path), "UBOT") == LookedUp(Whereabouts.FOUND, "5.0")


@pytest.mark.parametrize(
    ("raised", "error", "words"),
    [
        (InvalidURL("http://"), NotTaken, "WAKEFUL_SLACK_API_URL is no address"),
        (TimeoutError(), Unanswered, "did not answer in time"),
        (ClientHttpProxyError(None, ()), NotTaken, "cannot be reached"),  # type: ignore[arg-type]
        (ClientPayloadError(), Unanswered, "was cut"),
        (ConnectionResetError(), Unanswered, "was cut"),
        (ValueError(), Unanswered, "was cut"),
    ],
)
def test_what_fails_on_the_way_is_told_without_its_address(
    raised: Exception, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words) as told, _own_errors("chat.postMessage"):
        raise raised

    assert told.value.__cause__ is None
