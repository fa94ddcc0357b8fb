"""MCP servers of the settings: started in the workspace, without the secrets of the server."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.mcp.kit import raw
from tests.unit.building.kit import config_in
from wakeful.building.mcp import build_mcp
from wakeful.building.processes import build_process_settings
from wakeful.config.config import Config
from wakeful.model.tools.mcp import McpState
from wakeful.tools.mcp.servers import McpServers


def servers_of(config: Config) -> McpServers:
    return build_mcp(config, build_process_settings(config, None))


def _toml() -> str:
    server = raw()
    return f'[mcp.raw]\ncommand = "{server.command}"\nargs = {orjson.dumps(server.args).decode()}\n'


async def test_a_server_offers_its_tools_under_its_name(tmp_path: Path) -> None:
    config = config_in(tmp_path, _toml())
    config.workspace.mkdir()
    servers = servers_of(config)
    await servers.open()
    try:
        names = await servers.tool_names("mcp__raw__echo")
    finally:
        await servers.close()

    assert names
    assert all(name.startswith("mcp__raw__") for name in names), names
    assert (tmp_path / "logs" / "mcp-raw.log").exists()


async def test_without_its_package_a_server_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_package(name: str, *rest: Any) -> Any:
        raise ImportError("cannot import name 'x' from 'mcp'")

    monkeypatch.setattr("wakeful.building.loading.import_module", without_package)
    servers = servers_of(config_in(tmp_path, _toml()))
    assert await servers.tool_names("mcp__raw__echo") == frozenset()
    (status,) = servers.statuses()
    await servers.close()

    assert status.state is McpState.FAILED, status
    assert "install wakeful[mcp]" in status.error
