"""Checks of the MCP servers: what the running server knows of them, or what can be seen without starting them."""

import shutil
from importlib.util import find_spec

from wakeful.cli.client import Client, RequestRefused
from wakeful.cli.doctor.result import CheckResult
from wakeful.cli.plain_text import one_line
from wakeful.config.config import Config
from wakeful.model.tools.mcp import McpState
from wakeful.tools.mcp.settings import McpServerSettings


async def check_mcp(config: Config, client: Client, *, server: McpServerSettings) -> CheckResult:
    name = f"mcp:{server.name}"
    if not server.enabled:
        return CheckResult.ok(name, "disabled")
    if find_spec("mcp") is None:
        return CheckResult.fail(name, "Its package is missing: install wakeful[mcp].")
    try:
        shown = {one["name"]: one for one in (await client.get("/api/mcp"))["servers"]}.get(server.name)
    except RequestRefused as error:
        if error.status != 404:
            raise
        shown = None
    if shown is None:
        return CheckResult.warn(name, "The running server does not know it: restart it with wakeful serve.")
    if shown["state"] == McpState.FAILED:
        return CheckResult.fail(name, f"It is not ready: {one_line(shown['error'])}.")
    if server.command and shutil.which(server.command) is None:
        return CheckResult.fail(name, f"{server.command} is not installed, or not in the server's path.")
    if shown["error"]:
        return CheckResult.warn(name, f"{one_line(shown['error'])}.")
    if shown["state"] == McpState.IDLE and not shown["tools"]:
        return CheckResult.ok(name, "it starts with the next turn")
    count = len(shown["tools"])
    return CheckResult.ok(name, f"{shown['state']}, {'1 tool' if count == 1 else f'{count} tools'}")
