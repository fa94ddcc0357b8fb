"""Builds the MCP servers that the settings name."""

import os
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from wakeful.building.loading import load
from wakeful.config.config import Config
from wakeful.tools.mcp.failures import ServerEnded
from wakeful.tools.mcp.kept_files import KeptFiles
from wakeful.tools.mcp.place import StdioPlace
from wakeful.tools.mcp.server import Connect, ServerConnection
from wakeful.tools.mcp.server_log import ServerLog
from wakeful.tools.mcp.servers import McpServers
from wakeful.tools.mcp.settings import McpServerSettings
from wakeful.tools.processes.environment import command_environment
from wakeful.tools.processes.kernel.descent import MARK
from wakeful.tools.processes.output.secrets import Redactor
from wakeful.tools.processes.settings import ProcessSettings

# Loaded when the first server starts: the package is an extra, and takes a second and 50 MB.
_CONNECT = "wakeful.tools.mcp.sdk.connection:connect_mcp"


def build_mcp(config: Config, processes: ProcessSettings) -> McpServers:
    """Return the servers. They start with the first turn."""
    files, redact = KeptFiles(config.home), Redactor(processes.secrets).text
    passed_on = command_environment(os.environ, extra=processes.extra_environment, secrets=processes.secrets)
    environment = passed_on | {MARK: str(processes.root)}

    def load_connect() -> Connect:
        opening = _load()

        def connect(
            server: McpServerSettings, on_change: Callable[[], None]
        ) -> AbstractAsyncContextManager[ServerConnection]:
            log = ServerLog(config.home / "logs" / f"mcp-{server.name}.log", redact)
            place = StdioPlace(environment=environment, folder=config.workspace, log=log, files=files)
            return opening(server, place, on_change)

        return connect

    return McpServers(config.mcp, files, load_connect, wait_seconds=config.mcp_wait_seconds)


def _load() -> Callable[..., AbstractAsyncContextManager[ServerConnection]]:
    try:
        connect: Callable[..., AbstractAsyncContextManager[ServerConnection]] = load(_CONNECT)
    except ImportError as error:
        # Also for an older version of the package, which lacks some names.
        raise ServerEnded("its package is missing: install wakeful[mcp]", str(error)) from error
    return connect
