"""A tool of an MCP server, as the agent calls it."""

from collections.abc import Mapping
from typing import Any

import orjson

from wakeful.model.approvals.approval import Reason
from wakeful.model.approvals.reason_kinds import MCP, MCP_UNASKED
from wakeful.tools.base import Intent, ToolContext, ToolResult, ToolSpec
from wakeful.tools.mcp.failures import CallRefused, ServerEnded
from wakeful.tools.mcp.listing import ListedTool
from wakeful.tools.mcp.result import result_from
from wakeful.tools.mcp.schema import renamed_properties, with_properties_renamed
from wakeful.tools.mcp.server import McpServer

# Characters of the arguments that a person is shown.
_SHOWN = 2_000


class McpTool:
    def __init__(self, name: str, listed: ListedTool, server: McpServer) -> None:
        """`name` is the one under which models are offered it."""
        self._renamed = renamed_properties(listed.parameters)
        self.spec = ToolSpec(name, listed.description, with_properties_renamed(listed.parameters, self._renamed))
        self._listed = listed
        self._server = server

    async def intent(self, arguments: Mapping[str, Any], context: ToolContext) -> Intent | ToolResult:
        return Intent(self._shown(arguments), self._reasons())

    async def may_rerun(self, arguments: Mapping[str, Any], context: ToolContext) -> bool:
        return self._listed.read_only or self._listed.idempotent

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        settings = self._server.settings
        try:
            return result_from(await self._server.call(self._listed.tool, self._given(arguments)))
        except CallRefused as error:
            return ToolResult.failed("tool_error", str(error) or "The server refused the call.")
        except TimeoutError:
            sentence = f"{self._listed.tool} took longer than {settings.call_seconds:g} s, so it was cancelled."
            return ToolResult.failed("timeout", f"{sentence} It is unknown how far it got.")
        except ServerEnded as error:
            sentence = f"The MCP server {settings.name} is not there: {error}. If the call had begun, it is unknown "
            return ToolResult.failed("server_down", f"{sentence}whether it took effect.")

    def _reasons(self) -> tuple[Reason, ...]:
        """Hints decide whether a person is asked. They prove nothing: in `read_only` those of trusted servers count."""
        settings = self._server.settings
        if settings.trust and self._listed.read_only:
            return ()
        kind = MCP_UNASKED if settings.trust or self._listed.read_only else f"{MCP}:{settings.name}"
        return (Reason(kind, f"uses {self._listed.tool} of the MCP server {settings.name}"),)

    def _given(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments by the names that the server has for them."""
        return {self._renamed.get(name, name): value for name, value in arguments.items()}

    def _shown(self, arguments: Mapping[str, Any]) -> str:
        text = f"{self._listed.tool} {orjson.dumps(self._given(arguments)).decode()}"
        return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
