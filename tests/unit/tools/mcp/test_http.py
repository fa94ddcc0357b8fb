"""What is looked at in the responses of an MCP server over HTTP, before the package reads them."""

from collections.abc import AsyncIterator, Mapping

import httpx2
import pytest
from mcp.client.streamable_http import LAST_EVENT_ID, MCP_SESSION_ID

from wakeful.tools.mcp.failures import ServerEnded
from wakeful.tools.mcp.sdk import http
from wakeful.tools.mcp.sdk.http import _ResponseWatch, _say_goodbye, _translated

URL = "http://made.example/mcp"


class Parts(httpx2.AsyncByteStream):
    def __init__(self, *parts: bytes) -> None:
        self._parts = parts
        self.is_closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for part in self._parts:
            yield part

    async def aclose(self) -> None:
        self.is_closed = True


def response(
    status: int = 200,
    *,
    method: str = "POST",
    asked: Mapping[str, str] | None = None,
    answered: Mapping[str, str] | None = None,
    stream: Parts | None = None,
) -> httpx2.Response:
    request = httpx2.Request(method, URL, headers=asked)
    return httpx2.Response(status, headers=answered, stream=stream or Parts(), request=request)


async def watched(*responses: httpx2.Response) -> _ResponseWatch:
    watch = _ResponseWatch()
    for each in responses:
        await watch.look(each)
    return watch


@pytest.mark.parametrize(
    ("responses", "status"),
    [
        ([], 0),
        ([response(200)], 0),
        ([response(399)], 0),
        ([response(400)], 400),
        ([response(500), response(200)], 0),
        # Only the answers to questions tell whether the server refuses us.
        ([response(405, method="GET")], 0),
        ([response(500, asked={LAST_EVENT_ID: "7"})], 0),
        ([response(401), response(200, method="GET")], 401),
    ],
)
async def test_the_status_is_that_of_the_last_question_that_was_refused(
    responses: list[httpx2.Response], status: int
) -> None:
    assert (await watched(*responses)).status() == status


async def test_the_session_is_the_last_that_was_named() -> None:
    first, second = response(answered={MCP_SESSION_ID: "one"}), response(answered={MCP_SESSION_ID: "two"})

    assert [(await watched()).session, (await watched(first, response())).session] == ["", "one"]
    assert (await watched(first, second)).session == "two"


@pytest.mark.parametrize(
    ("status", "asked", "is_lost"),
    [(404, {MCP_SESSION_ID: "one"}, True), (404, {}, False), (400, {MCP_SESSION_ID: "one"}, False)],
)
async def test_a_session_that_is_not_found_is_lost(status: int, asked: dict[str, str], is_lost: bool) -> None:
    watch = await watched(response(status, asked=asked))

    assert (watch.has_lost_session(), watch.ended.is_set()) == (is_lost, is_lost)


async def test_a_body_is_read_as_it_is_though_it_says_that_it_is_packed() -> None:
    packed = response(answered={"content-encoding": "gzip"}, stream=Parts(b"plain"))
    await watched(packed)

    assert await packed.aread() == b"plain"


async def test_an_answer_may_have_the_largest_size_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "LARGEST_MESSAGE", 4)
    stream = Parts(b"ab", b"cde")
    most, more = response(stream=Parts(b"ab", b"cd")), response(stream=stream)
    events = response(answered={"content-type": "Text/Event-Stream; x"}, stream=Parts(b"abcde"))
    await watched(most, more, events)

    assert (await most.aread(), await events.aread()) == (b"abcd", b"abcde")
    with pytest.raises(httpx2.StreamError, match="The answer is larger than"):
        await more.aread()
    await more.aclose()
    assert stream.is_closed


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (httpx2.ConnectError("no way"), "it cannot be reached"),
        (httpx2.ConnectTimeout("no way"), "it cannot be reached"),
        (httpx2.ReadError("no way"), "the connection to it broke"),
    ],
)
def test_an_error_of_the_connection_is_told_in_our_words(error: Exception, reason: str) -> None:
    ended = _translated(ExceptionGroup("", [ExceptionGroup("", [ValueError(), error])]))

    assert isinstance(ended, ServerEnded)
    assert (str(ended), ended.said) == (reason, "no way")


def test_other_errors_stay_as_they_are() -> None:
    group = ExceptionGroup("", [ValueError()])

    assert _translated(group) is group


async def test_a_server_is_told_that_its_session_ends_unless_it_has_none() -> None:
    asked: list[tuple[str, str | None]] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append((request.method, request.headers.get(MCP_SESSION_ID)))
        raise httpx2.ConnectError("it is gone already")

    named = response(answered={MCP_SESSION_ID: "one"})
    lost = response(404, asked={MCP_SESSION_ID: "one"})
    async with httpx2.AsyncClient(transport=httpx2.MockTransport(answer)) as client:
        for responses in ([], [named, lost], [named]):
            await _say_goodbye(client, URL, await watched(*responses))

    assert asked == [("DELETE", "one")]
