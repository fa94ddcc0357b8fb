"""Routes that show the MCP servers of this node, and start one of them again."""

from typing import Annotated

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wakeful.errors import McpServerNotFound
from wakeful.model.tools.mcp import McpState, McpStatus, McpTransport
from wakeful.web.fields import read_body
from wakeful.web.ports import McpDesk
from wakeful.web.web import Web
from wakeful.wire.answer import JsonAnswer, Ok
from wakeful.wire.declared import Incoming, Outgoing, words


class ShownMcpTool(Outgoing):
    name: Annotated[str, words("The name under which models are offered it.")]
    tool: Annotated[str, words("Its name at the server.")]
    read_only: Annotated[bool, words("The server says that it changes nothing.")]


class ShownMcpServer(Outgoing):
    name: str
    transport: McpTransport
    state: McpState
    tools: Annotated[list[ShownMcpTool], words("Those of its newest list, also before it has started.")]
    error: Annotated[str, words("Why it is not ready, or what is wrong with its tools; empty if all is well.")]
    restarts: Annotated[int, Meta(ge=0)]
    trust: Annotated[bool, words("Its calls need no question.")]


class McpServerList(Outgoing):
    servers: list[ShownMcpServer]


class McpRestart(Incoming):
    name: Annotated[str, words("The name of a server.")]


class McpRoutes:
    def __init__(self, web: Web, desk: McpDesk) -> None:
        self._web = web
        self._desk = desk

    def routes(self) -> list[Route]:
        return [
            Route("/api/mcp", self.show, methods=["GET"]),
            Route("/api/mcp/restart", self.restart, methods=["POST"]),
        ]

    async def show(self, request: Request) -> Response:
        self._web.require_operator(request)
        return JsonAnswer(McpServerList(servers=[_shown(status) for status in self._desk.statuses()]))

    async def restart(self, request: Request) -> Response:
        self._web.require_operator(request)
        name = (await read_body(request, McpRestart)).name
        if not await self._desk.restart(name):
            raise McpServerNotFound
        return JsonAnswer(Ok())


def _shown(status: McpStatus) -> ShownMcpServer:
    return ShownMcpServer(
        name=status.name,
        transport=status.transport,
        state=status.state,
        tools=[ShownMcpTool(name=one.name, tool=one.tool, read_only=one.read_only) for one in status.tools],
        error=status.error,
        restarts=status.restarts,
        trust=status.trust,
    )
