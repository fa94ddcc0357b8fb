"""The list of MCP servers that the chat prints."""

from typing import Any

from wakeful.cli.plain_text import aligned, one_line
from wakeful.model.tools.mcp import McpState


def mcp_lines(servers: list[dict[str, Any]]) -> list[str]:
    return aligned([[server["name"], server["state"], _tools(server), _trouble(server)] for server in servers])


def _tools(server: dict[str, Any]) -> str:
    count = len(server["tools"])
    if not count and server["state"] != McpState.READY:
        return ""
    reading = sum(tool["read_only"] for tool in server["tools"])
    words = "1 tool" if count == 1 else f"{count} tools"
    return f"{words}, {reading} only read" if reading else words


def _trouble(server: dict[str, Any]) -> str:
    times = server["restarts"]
    restarts = "" if not times else "restarted once" if times == 1 else f"restarted {times} times"
    return " · ".join(filter(None, (one_line(server["error"]), restarts)))
