"""Describes the routes of MCP servers."""

from wakeful.web.mcp.routes import McpRestart, McpServerList, ShownMcpServer
from wakeful.wire.answer import Ok
from wakeful.wire.error_types import Problem
from wakeful.wire.openapi import Family, json_answer, json_body, operation
from wakeful.wire.refusals import refusals
from wakeful.wire.schema import Json

_NOT_YOURS = {
    403: json_answer(
        "`not_allowed`: only the operator may do that, and no command of an agent; or `foreign_origin`.", Problem
    )
}

PATHS: dict[str, dict[str, Json]] = {
    "/api/mcp": {
        "get": operation(
            "listMcpServers",
            "How the MCP servers of this node are doing",
            {200: json_answer("Those of the settings.", McpServerList), **refusals(503), **_NOT_YOURS},
        ),
    },
    "/api/mcp/restart": {
        "post": operation(
            "restartMcpServer",
            "End an MCP server and start it again",
            {200: json_answer("It is starting.", Ok), **refusals(400, 404, 413, 503), **_NOT_YOURS},
            body=json_body(McpRestart),
        ),
    },
}

FAMILY = Family(
    "MCP servers",
    "The programs that give agents further tools: for the operator.",
    PATHS,
    {"McpServer": ShownMcpServer},
)
