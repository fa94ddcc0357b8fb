"""Requests that are sent byte by byte."""

import asyncio

from tests.web.kit import Served


async def raw(web: Served, request: str) -> tuple[int, bytes]:
    """Send what no HTTP library would, and return the status and body of the answer."""
    port = int(web.url.rpartition(":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(f"{request}\r\nConnection: close\r\n\r\n".encode())
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    finally:
        writer.close()
        await writer.wait_closed()
    return int(head.split()[1]), body
