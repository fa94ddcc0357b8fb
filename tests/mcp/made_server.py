"""A server made with the official package, over either transport: `python made_server.py` speaks stdio."""

import asyncio
from collections.abc import Callable
from typing import Any

from mcp.server.mcpserver import Context, Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations

# A picture of one pixel.
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360606060000000050001a5f64540"
    "0000000049454e44ae426082"
)


def made_server(note: Callable[[str], object] = str) -> MCPServer:
    """`note` is told that a call of `wait` has begun, and that it was cancelled."""
    server = MCPServer("made")

    @server.tool(annotations=ToolAnnotations(read_only_hint=True))
    def greet(name: str) -> str:
        """Greet somebody."""
        return f"Hello {name}"

    @server.tool()
    def measure() -> dict[str, int]:
        return {"width": 3}

    @server.tool()
    def draw() -> Image:
        return Image(data=PIXEL, format="png")

    @server.tool()
    def fail() -> str:
        raise ToolError("the printer is on fire")

    @server.tool()
    async def wait() -> str:
        note("begun")
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            note("cancelled")
            raise
        return "never"

    @server.tool()
    async def grow(ctx: Context[Any]) -> str:
        server.add_tool(lambda: "new", name="grown")
        await ctx.session.send_tool_list_changed()
        await ctx.notify_tools_changed()
        return "grown"

    @server.tool()
    def fill(characters: int) -> str:
        return "x" * characters

    return server


if __name__ == "__main__":
    made_server().run("stdio")
