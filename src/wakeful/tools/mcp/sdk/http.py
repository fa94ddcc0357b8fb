"""The transport of streamable HTTP: the package's own, with limits."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus

import anyio
import httpx2
from mcp.client.streamable_http import LAST_EVENT_ID, MCP_SESSION_ID, streamable_http_client

from wakeful.tools.mcp.failures import ServerEnded, leaves_of
from wakeful.tools.mcp.sdk.message_lines import LARGEST_MESSAGE
from wakeful.tools.mcp.sdk.streams import Streams
from wakeful.tools.mcp.settings import McpServerSettings

_CONNECT_SECONDS = 10.0
_GOODBYE_SECONDS = 1.0


@asynccontextmanager
async def http_streams(settings: McpServerSettings) -> AsyncIterator[Streams]:
    """Raises ServerEnded if the server cannot be reached, and later if the connection breaks."""
    watch = _ResponseWatch()
    # A call may take long; its own timeout counts. A body that is compressed could be of any size.
    client = httpx2.AsyncClient(
        headers={"accept-encoding": "identity", **settings.headers},
        timeout=httpx2.Timeout(_CONNECT_SECONDS, read=None),
        event_hooks={"response": [watch.look]},
    )
    try:
        async with (
            client,
            streamable_http_client(
                settings.url, http_client=client, terminate_on_close=False, max_sse_event_size=LARGEST_MESSAGE
            ) as (read, write),
        ):
            try:
                yield Streams(read, write, watch.ended, watch.explain, watch.status, watch.has_lost_session)
            finally:
                await _say_goodbye(client, settings.url, watch)
    except ExceptionGroup as group:
        raise _translated(group) from group


def _translated(group: ExceptionGroup) -> Exception:
    for error in leaves_of(group):
        if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
            return ServerEnded("it cannot be reached", str(error))
        if isinstance(error, httpx2.TransportError):
            return ServerEnded("the connection to it broke", str(error))
    return group


async def _say_goodbye(client: httpx2.AsyncClient, url: str, watch: "_ResponseWatch") -> None:
    """Let the server forget the session; it need not answer."""
    if not watch.session or watch.has_lost_session():
        return
    with anyio.move_on_after(_GOODBYE_SECONDS, shield=True):
        try:
            await client.delete(url, headers={MCP_SESSION_ID: watch.session})
        except httpx2.HTTPError:
            return


class _ResponseWatch:
    """Looks at each response before the package does: the status tells what its errors do not."""

    def __init__(self) -> None:
        self.ended = asyncio.Event()
        self.session = ""
        self._status = 0

    async def look(self, response: httpx2.Response) -> None:
        self.session = response.headers.get(MCP_SESSION_ID, self.session)
        # A body that is compressed although we asked for none is read as it is, and fails as invalid JSON.
        response.headers.pop("content-encoding", None)
        if isinstance(response.stream, httpx2.AsyncByteStream) and _is_json(response):
            response.stream = _Bounded(response.stream)
        if response.status_code == HTTPStatus.NOT_FOUND and MCP_SESSION_ID in response.request.headers:
            self.ended.set()
        is_question = response.request.method == "POST" and LAST_EVENT_ID not in response.request.headers
        if is_question:
            self._status = response.status_code

    def has_lost_session(self) -> bool:
        return self.ended.is_set()

    def status(self) -> int:
        return self._status if self._status >= HTTPStatus.BAD_REQUEST else 0

    def explain(self) -> ServerEnded:
        return ServerEnded("the connection to it broke")


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        room = LARGEST_MESSAGE
        async for part in self._stream:
            room -= len(part)
            if room < 0:
                raise httpx2.StreamError(f"The answer is larger than {LARGEST_MESSAGE // 1024 // 1024} MiB.")
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


def _is_json(response: httpx2.Response) -> bool:
    return not response.headers.get("content-type", "").lower().startswith("text/event-stream")
