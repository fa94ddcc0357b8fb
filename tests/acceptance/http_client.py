"""One HTTP request over a bare connection."""

import asyncio
from dataclasses import dataclass
from typing import Any

import orjson


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    json: Any


async def get(port: int, path: str, key: str = "") -> Reply:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        authorization = f"Authorization: Bearer {key}\r\n" if key else ""
        writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n{authorization}\r\n".encode())
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    finally:
        writer.close()
        await writer.wait_closed()
    return Reply(int(head.split()[1]), orjson.loads(body))
