"""All MCP servers of this node, and the tools that they give to a turn."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from wakeful.model.tools.mcp import McpState, McpStatus, McpToolFacts
from wakeful.model.turn import Turn
from wakeful.tools.base import Tool, Toolset
from wakeful.tools.mcp.failures import ServerEnded
from wakeful.tools.mcp.kept_files import KeptFiles
from wakeful.tools.mcp.listing import PREFIX, ListedTool, ToolListing, fair_shares, offered_names
from wakeful.tools.mcp.mcp_tool import McpTool
from wakeful.tools.mcp.server import Connect, McpServer
from wakeful.tools.mcp.settings import McpServerSettings


class McpServers:
    def __init__(
        self,
        settings: Sequence[McpServerSettings],
        files: KeptFiles,
        load: Callable[[], Connect],
        *,
        wait_seconds: float,
    ) -> None:
        """A turn waits for `wait_seconds` at most for servers whose tools are not known yet."""
        self._servers = {one.name: McpServer(one, files, load) for one in settings}
        self._files = files
        self._load = load
        self._preparing: asyncio.Task[None] | None = None
        self._wait_seconds = wait_seconds

    async def open(self) -> None:
        """Clean up after a crash. Servers start with the first turn."""
        await asyncio.to_thread(self._files.clean_up)

    async def close(self) -> None:
        if self._preparing is not None:
            self._preparing.cancel()
        await asyncio.gather(*(server.stop() for server in self._servers.values()))

    async def toolset(self, turn: Turn) -> Toolset:
        """Return the tools of the turn and a line about those that are missing. They stay the same until it ends, also
        after a crash: what a model has read is not written anew.
        """
        if not self._servers:
            return Toolset()
        self._start()
        if turn.was_taken_over and (kept := await asyncio.to_thread(self._files.toolset, turn)):
            return Toolset(self._tools_of(kept["tools"]), kept["note"])
        await self._wait_for_listings()
        content: dict[str, Any] = {"note": self._note(), "tools": self._offered()}
        if not turn.is_ephemeral:
            await asyncio.to_thread(self._files.keep_toolset, turn, content)
        return Toolset(self._tools_of(content["tools"]), content["note"])

    def statuses(self) -> list[McpStatus]:
        names, listings = self._names(), self._listings()
        return [self._status(server, listings.get(server), names) for server in self._servers.values()]

    async def tool_names(self, choice: object) -> frozenset[str]:
        """Return the names of all tools. For a choice that names one of them, servers are started and waited for."""
        if PREFIX in str(choice):
            self._start()
            await self._wait_for_listings()
        return frozenset(self._names().values())

    def prepare(self) -> None:
        """Load the package in the background. The first turn need not wait for that then."""
        if any(server.settings.enabled for server in self._servers.values()):
            self._preparing = asyncio.create_task(self._prepare())

    async def restart(self, name: str) -> bool:
        """Return False if there is no such server, or it is disabled."""
        server = self._servers.get(name)
        if server is None or not server.settings.enabled:
            return False
        await server.restart()
        return True

    async def _prepare(self) -> None:
        try:
            await asyncio.to_thread(self._load)
        except ServerEnded:
            # The start of each server says so.
            return

    def _start(self) -> None:
        for server in self._servers.values():
            server.start()

    async def _wait_for_listings(self) -> None:
        waits = [asyncio.ensure_future(one.settled()) for one in self._servers.values() if one.is_worth_waiting_for]
        if waits:
            await asyncio.wait(waits, timeout=self._wait_seconds)
        for wait in waits:
            wait.cancel()

    def _listed(self) -> Iterable[tuple[McpServer, ListedTool]]:
        for server, listing in self._listings().items():
            yield from ((server, tool) for tool in listing.tools)

    def _listings(self) -> dict[McpServer, ToolListing]:
        """Return the tools of each server that are offered."""
        known = {
            server: server.listing
            for server in self._servers.values()
            if server.settings.enabled and server.listing is not None
        }
        shares = fair_shares({server.settings.name: len(listing.tools) for server, listing in known.items()})
        return {server: listing.first(shares[server.settings.name]) for server, listing in known.items()}

    def _names(self) -> dict[tuple[str, str], str]:
        return offered_names((server.settings.name, tool.tool) for server, tool in self._listed())

    def _offered(self) -> list[dict[str, Any]]:
        names = self._names()
        return [
            {"name": names[server.settings.name, tool.tool], "server": server.settings.name, "listed": asdict(tool)}
            for server, tool in self._listed()
        ]

    def _tools_of(self, offered: Sequence[Mapping[str, Any]]) -> tuple[Tool, ...]:
        """Tools of a server that the settings no longer name are not offered any more, though the turn had them."""
        return tuple(
            McpTool(one["name"], ListedTool(**one["listed"]), server)
            for one in offered
            if (server := self._servers.get(one["server"])) is not None
        )

    def _note(self) -> str:
        """Return one line for the instructions, in our own words; empty if nothing is missing."""
        listings = self._listings()
        missing = [part for server in self._servers.values() if (part := _missing_in(server, listings.get(server)))]
        if not missing:
            return ""
        return f"Of these MCP servers, tools are missing in this turn: {'; '.join(missing)}."

    def _status(
        self, server: McpServer, listing: ToolListing | None, names: Mapping[tuple[str, str], str]
    ) -> McpStatus:
        name = server.settings.name
        listed = () if listing is None else listing.tools
        return McpStatus(
            name=name,
            transport=server.settings.transport,
            state=server.state,
            tools=tuple(McpToolFacts(names[name, tool.tool], tool.tool, tool.read_only) for tool in listed),
            error=_error_of(server, listing),
            restarts=server.restarts,
            trust=server.settings.trust,
        )


def _missing_in(server: McpServer, listing: ToolListing | None) -> str:
    name = server.settings.name
    if not server.settings.enabled:
        return ""
    if listing is None:
        return f"{name} ({server.failure or 'it is still starting'})"
    return f"{name} ({_left_out(listing)})" if listing.left_out else ""


def _error_of(server: McpServer, listing: ToolListing | None) -> str:
    if server.failure is not None and server.state is not McpState.READY:
        return server.failure.whole
    return _left_out(listing) if listing is not None and listing.left_out else ""


def _left_out(listing: ToolListing) -> str:
    reason = "are too many, or cannot be offered to models: name those you want in its setting tools"
    return f"{listing.left_out} of its tools {reason}"
