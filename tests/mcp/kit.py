"""MCP servers as an engine has them, over a home folder of the test."""

import asyncio
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import uvicorn

from tests.mcp.made_server import made_server
from tests.patience import PATIENCE
from tests.unit.tools.kit import Person, gate_of, new_turn
from wakeful.model.approvals.approval import Choice
from wakeful.model.tools.mcp import McpStatus
from wakeful.tools.base import Tool, ToolContext, ToolResult
from wakeful.tools.mcp.kept_files import KeptFiles
from wakeful.tools.mcp.place import StdioPlace
from wakeful.tools.mcp.sdk.connection import connect_mcp
from wakeful.tools.mcp.server_log import ServerLog
from wakeful.tools.mcp.servers import McpServers
from wakeful.tools.mcp.settings import McpServerSettings

_HERE = Path(__file__).parent


def raw(
    behaviour: str = "plain", *, name: str = "raw", record: Path | None = None, **settings: Any
) -> McpServerSettings:
    """The settings of a server that the package has no part in."""
    args = ("-S", "-E", str(_HERE / "raw_server.py"), behaviour, *([str(record)] if record else []))
    return McpServerSettings(name, command=sys.executable, args=args, **settings)


def made_stdio(**settings: Any) -> McpServerSettings:
    return McpServerSettings("made", command=sys.executable, args=(str(_HERE / "made_server.py"),), **settings)


@asynccontextmanager
async def running(home: Path, *settings: McpServerSettings, wait_seconds: float = 20.0) -> AsyncIterator[McpServers]:
    files = KeptFiles(home)

    def place(name: str) -> StdioPlace:
        return StdioPlace({"PATH": "/usr/bin"}, home, ServerLog(home / "logs" / f"mcp-{name}.log", str), files)

    servers = McpServers(
        settings,
        files,
        lambda: lambda one, on_change: connect_mcp(one, place(one.name), on_change),
        wait_seconds=wait_seconds,
    )
    await servers.open()
    try:
        yield servers
    finally:
        await servers.close()


async def tools_of(servers: McpServers, home: Path) -> dict[str, Tool]:
    """Return the tools of a turn by their offered names."""
    return {tool.spec.name: tool for tool in (await servers.toolset(new_turn(home))).tools}


async def call(
    servers: McpServers, home: Path, name: str, /, person: Person | None = None, **arguments: Any
) -> ToolResult:
    """Call a tool through a gate; a person who is asked allows it, unless another one is given."""
    tool = (await tools_of(servers, home))[name]
    gate = gate_of(person or Person(Choice.ONCE))
    return await gate.run(tool, arguments, ToolContext(new_turn(home), 1, 1, "call_1"))


async def eventually(is_so: Callable[[], bool]) -> None:
    """Wait for what another process does: it sets no event here."""
    async with asyncio.timeout(PATIENCE):
        while not is_so():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def only(servers: McpServers) -> McpStatus:
    (status,) = servers.statuses()
    return status


class ServedApp:
    """The made server behind HTTP, in a thread; it can be stopped and started again at the same address."""

    def __init__(self, note: Callable[[str], object], **options: Any) -> None:
        self._note = note
        self._options = options
        self._port = 0
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/mcp"

    def start(self) -> None:
        app = made_server(self._note).streamable_http_app(**self._options)
        config = uvicorn.Config(app, port=self._port, log_level="error", timeout_graceful_shutdown=0)
        self._server = uvicorn.Server(config)
        is_up = threading.Event()
        startup = self._server.startup

        async def start_up(sockets: Any = None) -> None:
            await startup(sockets)
            is_up.set()

        self._server.startup = start_up  # type: ignore[method-assign]
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        assert is_up.wait(30)
        self._port = self._server.servers[0].sockets[0].getsockname()[1]

    def stop(self) -> None:
        assert self._server is not None
        assert self._thread is not None
        self._server.should_exit = True
        self._thread.join(30)


@contextmanager
def served(note: Callable[[str], object] = str, **options: Any) -> Iterator[ServedApp]:
    app = ServedApp(note, **options)
    app.start()
    try:
        yield app
    finally:
        app.stop()
