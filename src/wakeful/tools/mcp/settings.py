"""The settings of MCP servers: the tables [mcp.NAME] of config.toml."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

from wakeful.model.tools.mcp import McpTransport
from wakeful.tools.processes.environment import secrets_in

_SECRET_HEADER = re.compile(r"auth|key|token|secret|cookie", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class McpServerSettings:
    """A server has either a command or a url."""

    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    # Added to the environment that commands get.
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    # Empty: the workspace of new sessions.
    cwd: str = ""
    url: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    # Its calls need no question.
    trust: bool = False
    enabled: bool = True
    # How long it may take to be ready, and how long a call may take.
    start_seconds: float = 20.0
    call_seconds: float = 120.0
    # The names of the tools that are offered; None: all.
    tools: frozenset[str] | None = None

    @property
    def transport(self) -> McpTransport:
        return McpTransport.STDIO if self.command else McpTransport.HTTP

    @property
    def secrets(self) -> set[str]:
        """The values of variables, headers and parts of the address that are named like secrets."""
        headers = [value for name, value in self.headers.items() if _SECRET_HEADER.search(name)]
        # The words after a scheme such as Bearer count, too.
        known = {part for value in headers for part in (value, value.rpartition(" ")[2])}
        return known | secrets_in({**self.env, **dict(parse_qsl(urlsplit(self.url).query))}, passed_on=())
