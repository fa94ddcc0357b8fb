"""A session with one MCP server, over the official package. This folder alone imports the package.

Cancel scopes of the package belong to the task that opened them: `connect_mcp` is entered and left by the one task that
supervises the server. Requests may come from any task.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.metadata import version
from typing import Any

import anyio
import mcp_types as types
from mcp.client.session import ClientSession, IncomingMessage, MessageHandlerFnT
from mcp.client.subscriptions import SubscriptionLost, listen
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from pydantic import BaseModel, ValidationError

from wakeful.tools.mcp.failures import CallRefused, ServerEnded, SessionGone
from wakeful.tools.mcp.listing import MOST_TOOLS
from wakeful.tools.mcp.place import StdioPlace
from wakeful.tools.mcp.sdk.http import http_streams
from wakeful.tools.mcp.sdk.stdio import stdio_streams
from wakeful.tools.mcp.sdk.streams import Streams
from wakeful.tools.mcp.settings import McpServerSettings

logger = logging.getLogger(__name__)
# What they know reaches us as errors. At lower levels they log every request, the ids of sessions, and with a traceback
# whatever a server has written.
for name, level in {"mcp": logging.CRITICAL, "client": logging.CRITICAL, "httpx2": logging.WARNING}.items():
    logging.getLogger(name).setLevel(level)

# A list may be cut into pages, and a broken server may have no last one.
_MOST_PAGES = 100
# How long an ended server may take to say how it ended.
_END_SECONDS = 1.0
# How the package begins the message of an error that it has made itself because the connection broke. Servers use the
# code of such errors for failures of their own.
_BROKEN = ("Connection closed", "SSE stream ")
# What servers answer that know only versions without a handshake.
_NO_HANDSHAKE = {types.UNSUPPORTED_PROTOCOL_VERSION, types.METHOD_NOT_FOUND}


@asynccontextmanager
async def connect_mcp(
    settings: McpServerSettings, place: StdioPlace, on_change: Callable[[], None]
) -> AsyncIterator["McpConnection"]:
    """Connect and shake hands. `on_change` is called when the server's tools have changed. Raises ServerEnded, also
    when the connection breaks later.
    """
    async with _streams(settings, place) as streams:
        dispatcher = JSONRPCDispatcher(streams.read, streams.write, on_stream_exception=_ignore)
        session = ClientSession(
            dispatcher=dispatcher,
            client_info=types.Implementation(name="wakeful", version=version("wakeful")),
            message_handler=_listener(on_change),
        )
        async with session:
            try:
                await _shake_hands(session)
            except (MCPError, RuntimeError, ValidationError) as error:
                raise await _failed_handshake(streams, error) from error
            async with _subscribed(session):
                yield McpConnection(session, dispatcher, streams)


def _streams(settings: McpServerSettings, place: StdioPlace) -> AbstractAsyncContextManager[Streams]:
    return stdio_streams(settings, place) if settings.command else http_streams(settings)


async def _ignore(error: Exception) -> None:
    """Drop what is not a message. A request that it should have answered runs into its timeout."""


def _listener(on_change: Callable[[], None]) -> MessageHandlerFnT:
    async def listen(message: IncomingMessage) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            on_change()

    return listen


async def _shake_hands(session: ClientSession) -> None:
    try:
        await session.initialize()
    except MCPError as error:
        if error.code not in _NO_HANDSHAKE:
            raise
        await session.discover()


@asynccontextmanager
async def _subscribed(session: ClientSession) -> AsyncIterator[None]:
    """Subscribe to changes, which servers of versions without a handshake report to subscribers only."""
    async with anyio.create_task_group() as group:
        if session.discover_result is not None:
            group.start_soon(_follow_changes, session)
        try:
            yield
        finally:
            group.cancel_scope.cancel()


async def _follow_changes(session: ClientSession) -> None:
    """Keep the subscription open; the session's message handler gets the changes."""
    try:
        async with listen(session, tools_list_changed=True) as changes:
            async for _ in changes:
                continue
    except (MCPError, SubscriptionLost, TimeoutError):
        logger.info("a server does not say when its tools change")


async def _failed_handshake(streams: Streams, error: Exception) -> ServerEnded:
    if isinstance(error, MCPError) and _is_broken(error):
        return await _cause_of_end(streams)
    if status := streams.refused_status():
        return ServerEnded(f"it answered with HTTP status {status}")
    if isinstance(error, MCPError):
        return ServerEnded("it refused the handshake", error.message)
    if isinstance(error, RuntimeError):
        return ServerEnded("it speaks no version of MCP that is known here", str(error))
    return ServerEnded("it answers what no version of MCP knows", type(error).__name__)


def _is_broken(error: MCPError) -> bool:
    return error.code == types.CONNECTION_CLOSED and error.message.startswith(_BROKEN)


async def _cause_of_end(streams: Streams) -> ServerEnded:
    """The end of a server's output is noticed a little sooner than its own end."""
    try:
        async with asyncio.timeout(_END_SECONDS):
            await streams.ended.wait()
    except TimeoutError:
        pass
    return streams.explain()


class _Anything(BaseModel, extra="allow"):
    """A result that the package does not check."""


class McpConnection:
    def __init__(self, session: ClientSession, dispatcher: JSONRPCDispatcher[Any], streams: Streams) -> None:
        self._session = session
        self._dispatcher = dispatcher
        self._streams = streams

    async def ended(self) -> None:
        """Return when the server is gone. Raises ServerEnded, or SessionGone."""
        await self._streams.ended.wait()
        if self._streams.has_lost_session():
            raise SessionGone
        raise self._streams.explain()

    async def list_tools(self) -> list[Any]:
        """Return the entries of the server's list, unchecked. Raises ServerEnded."""
        entries: list[Any] = []
        cursor: Any = None
        for _ in range(_MOST_PAGES):
            params = types.PaginatedRequestParams(cursor=cursor) if cursor else None
            try:
                page = await self._request(types.ListToolsRequest(params=params))
            except CallRefused as error:
                raise ServerEnded("it does not list its tools", str(error)) from error
            found, cursor = page.get("tools"), page.get("nextCursor")
            entries += found if isinstance(found, list) else []
            if not isinstance(cursor, str) or not cursor or len(entries) > 100 * MOST_TOOLS:
                break
        return entries

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the result as the server sent it. Cancelling this cancels the call at the server. Raises CallRefused,
        ServerEnded, SessionGone.
        """
        params = types.CallToolRequestParams(name=tool, arguments=dict(arguments))
        return await self._request(types.CallToolRequest(params=params))

    async def _request(self, request: types.ListToolsRequest | types.CallToolRequest) -> Mapping[str, Any]:
        try:
            if self._session.initialize_result is None:
                return (await self._session.send_request(request, _Anything)).model_extra or {}
            # Not by the session: it refuses a whole list for one bad tool in it.
            headers = {MCP_PROTOCOL_VERSION_HEADER: self._session.initialize_result.protocol_version}
            data = request.model_dump(by_alias=True, mode="json", exclude_none=True)
            return await self._dispatcher.send_raw_request(data["method"], data.get("params"), {"headers": headers})
        except ValidationError as error:
            raise CallRefused("The server answered what no version of MCP knows.") from error
        except MCPError as error:
            if self._streams.has_lost_session():
                raise SessionGone from error
            if _is_broken(error):
                raise await _cause_of_end(self._streams) from error
            raise CallRefused(error.message) from error
