"""One MCP server: started when it is needed, supervised by one task of its own, started again after its end."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from wakeful.model.tools.mcp import McpState, McpTransport
from wakeful.tools.mcp.failures import ServerEnded, SessionGone, leaves_of
from wakeful.tools.mcp.kept_files import KeptFiles
from wakeful.tools.mcp.listing import ToolListing, read_listing
from wakeful.tools.mcp.settings import McpServerSettings

# A server that has ended rests before it is started again; each failure in a row doubles that.
_REST_SECONDS = 1.0
_LONGEST_REST_SECONDS = 60.0
# The end of a server that has worked for this long counts as its first failure.
_STEADY_SECONDS = 10.0
# How long a call waits for a server that is not ready.
_PATIENCE_SECONDS = 5.0
# How many sessions a call is tried in: an HTTP server may have forgotten the first one.
_SESSIONS = 2
# Servers may say that their tools have changed as often as they like; they are asked once in this time.
_LISTING_SECONDS = 1.0

logger = logging.getLogger(__name__)


class ServerConnection(Protocol):
    """See sdk/connection.py, which is loaded when the first server starts."""

    async def ended(self) -> None: ...

    async def list_tools(self) -> list[Any]: ...

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]: ...


Connect = Callable[[McpServerSettings, Callable[[], None]], AbstractAsyncContextManager[ServerConnection]]


class McpServer:
    def __init__(self, settings: McpServerSettings, files: KeptFiles, load: Callable[[], Connect]) -> None:
        """`load` imports what connects. It takes a second, and raises ServerEnded where the package is missing."""
        self.settings = settings
        self.state = McpState.IDLE if settings.enabled else McpState.DISABLED
        self.failure: ServerEnded | None = None
        self.restarts = 0
        self._files = files
        self._load = load
        self._listing = files.listing(settings)
        self._life: asyncio.Task[None] | None = None
        self._connection: ServerConnection | None = None
        # Set when the package is loaded, or cannot be.
        self._loaded = asyncio.Event()
        # Set when a start has succeeded or failed.
        self._settled = asyncio.Event()
        self._changed = asyncio.Event()
        self._failures = 0
        self._rests_until = 0.0

    @property
    def listing(self) -> ToolListing | None:
        """The tools that it has listed, now or before the last start; None: they are unknown."""
        return self._listing

    @property
    def is_worth_waiting_for(self) -> bool:
        """Whether a turn should wait for its tools: they are unknown, and nothing has gone wrong yet."""
        return self._listing is None and self.failure is None and self.settings.enabled

    def start(self) -> None:
        """Start it, unless it runs or is starting already."""
        if self.settings.enabled and (self._life is None or self._life.done()):
            if self._life is not None:
                self.restarts += 1
            self._settled.clear()
            self._life = asyncio.create_task(self._live(), name=f"mcp {self.settings.name}")

    async def settled(self) -> None:
        """Return when the start that is under way has succeeded or failed."""
        await self._settled.wait()

    async def restart(self) -> None:
        """End it and start it at once."""
        await self.stop()
        self._failures, self._rests_until = 0, 0.0
        self.start()

    async def stop(self) -> None:
        if self._life is not None:
            self._life.cancel()
            await asyncio.gather(self._life, return_exceptions=True)

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the result as the server sent it. Raises ServerEnded, CallRefused, and TimeoutError if the call took
        too long; it is cancelled at the server then, as it is when the caller is cancelled.
        """
        for _ in range(_SESSIONS):
            connection = await self._ready()
            try:
                async with asyncio.timeout(self.settings.call_seconds):
                    return await connection.call(tool, arguments)
            except SessionGone:
                # The server has not looked at the call, so it can be made again in a new session.
                if self._connection is connection:
                    await self.stop()
        raise ServerEnded("it forgets its sessions")

    async def _ready(self) -> ServerConnection:
        await self._load_first()
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                if self.state is McpState.READY and self._connection is None:
                    # Its last life is just ending.
                    await self.settled()
                self.start()
                if self._rests_until - _now() < _PATIENCE_SECONDS:
                    await self.settled()
        except TimeoutError:
            pass
        if self._connection is None:
            # Raised by every call until the next start: without the traceback, which would grow each time.
            raise (self.failure or ServerEnded("it is still starting")).with_traceback(None)
        return self._connection

    async def _load_first(self) -> None:
        """Start the server and wait for the package: a slow import right after a crash is no fault of the server."""
        self.start()
        try:
            async with asyncio.timeout(self.settings.start_seconds if self.settings.enabled else 0):
                await self._loaded.wait()
        except TimeoutError:
            pass

    async def _live(self) -> None:
        """Supervise one life of the server, from its rest to its end."""
        began = None
        try:
            await asyncio.sleep(self._rests_until - _now())
            self.state = McpState.STARTING
            connect = await asyncio.to_thread(self._load)
            self._loaded.set()
            async with asyncio.timeout(self.settings.start_seconds) as clock:
                async with connect(self.settings, self._changed.set) as connection:
                    self._learn(await connection.list_tools())
                    clock.reschedule(None)
                    began = _now()
                    self._become_ready(connection)
                    await self._serve(connection)
        except asyncio.CancelledError:
            self._end(None)
            raise
        except TimeoutError:
            self._end(ServerEnded(f"it was not ready within {self.settings.start_seconds:g} s"), began)
        except Exception as error:
            # Whatever a server does, or the package makes of it, ends this server only.
            self._end(self._cause_of(error), began)

    def _become_ready(self, connection: ServerConnection) -> None:
        self.state, self.failure = McpState.READY, None
        self._connection = connection
        self._settled.set()

    async def _serve(self, connection: ServerConnection) -> None:
        """Raise when the server is gone; list its tools again whenever they have changed."""
        ended = asyncio.ensure_future(connection.ended())
        try:
            while not ended.done():
                changed = asyncio.ensure_future(self._changed.wait())
                await asyncio.wait([ended, changed], return_when=asyncio.FIRST_COMPLETED)
                changed.cancel()
                if self._changed.is_set() and not ended.done():
                    self._changed.clear()
                    await self._list_again(connection)
                    await asyncio.wait([ended], timeout=_LISTING_SECONDS)
            ended.result()
        finally:
            ended.cancel()
            self._connection = None
            self._settled.clear()

    async def _list_again(self, connection: ServerConnection) -> None:
        try:
            async with asyncio.timeout(self.settings.call_seconds):
                self._learn(await connection.list_tools())
        except TimeoutError:
            logger.warning("the MCP server %s does not list its tools again", self.settings.name)

    def _learn(self, entries: list[Any]) -> None:
        listing = read_listing(entries, self.settings.tools)
        if listing != self._listing:
            self._listing = listing
            self._files.keep_listing(self.settings, listing)

    def _end(self, failure: ServerEnded | None, began: float | None = None) -> None:
        """Note the end of a life; None: it was wanted, or the next call begins another one at once."""
        self._connection = None
        self._loaded.set()
        self._changed.clear()
        is_known = failure is not None and self.failure is not None and failure.whole == self.failure.whole
        self.failure = failure
        self.state = McpState.IDLE if failure is None else McpState.FAILED
        if failure is not None:
            self._rest(began)
            # A chat shows warnings on its screen, and every turn starts the server again.
            level = logging.INFO if is_known else logging.WARNING
            logger.log(level, "the MCP server %s is not ready: %s", self.settings.name, failure.whole)
        self._settled.set()

    def _rest(self, began: float | None) -> None:
        is_steady = began is not None and _now() - began >= _STEADY_SECONDS
        self._failures = 1 if is_steady else self._failures + 1
        if self.settings.transport is McpTransport.HTTP and began is not None:
            # Only the connection was lost.
            return
        self._rests_until = _now() + min(_LONGEST_REST_SECONDS, _REST_SECONDS * 2 ** min(self._failures - 1, 10))

    def _cause_of(self, error: Exception) -> ServerEnded | None:
        causes = list(leaves_of(error))
        for cause in causes:
            if isinstance(cause, SessionGone):
                return None
            if isinstance(cause, ServerEnded):
                return cause
        logger.error("the MCP server %s broke its connection", self.settings.name, exc_info=error)
        return ServerEnded("its connection broke", f"{type(causes[0]).__name__}: {causes[0]}")


def _now() -> float:
    return asyncio.get_running_loop().time()
