"""A server that says exactly the bytes of a test, and keeps count of what it was asked."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from wakeful.agent.providers.endpoint_errors import EndpointErrors
from wakeful.agent.providers.http.direct import DirectClient


class Line:
    """One connection, from the server's side."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, peer: "Peer") -> None:
        self._reader = reader
        self._writer = writer
        self._peer = peer

    async def request(self) -> bytes:
        """Return the next request, head and body; b"" when the client has hung up."""
        try:
            head = await self._reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            return b""
        length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
        self._peer.requests.append(head + await self._reader.readexactly(int(length or 0)))
        return self._peer.requests[-1]

    async def say(self, *pieces: bytes) -> None:
        for piece in pieces:
            self._writer.write(piece)
            await self._writer.drain()

    async def until_gone(self) -> None:
        try:
            while await self._reader.read(65_536):
                pass
        except ConnectionError:
            pass


Script = Callable[[Line], Awaitable[None]]


class Peer:
    """Does what a script says on every connection, and then closes it."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self.requests: list[bytes] = []
        self.connections = 0
        self.jobs: set[asyncio.Task[None]] = set()
        self.port = 0
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        job = asyncio.current_task()
        assert job is not None
        self.jobs.add(job)
        self.connections += 1
        try:
            await self._script(Line(reader, writer, self))
        finally:
            writer.close()


@asynccontextmanager
async def serving(script: Script, tls: ssl.SSLContext | None = None) -> AsyncIterator[Peer]:
    peer = Peer(script)
    server = await asyncio.start_server(peer.serve, "127.0.0.1", 0, ssl=tls)
    peer.port = server.sockets[0].getsockname()[1]
    peer.url = f"http://127.0.0.1:{peer.port}/v1"
    try:
        yield peer
    finally:
        server.close()
        # The client has left before, so that every script comes to its end.
        await asyncio.wait_for(asyncio.gather(*peer.jobs), 5)


@asynccontextmanager
async def client_of(url: str, *, idle_seconds: float = 5.0) -> AsyncIterator[DirectClient]:
    errors = EndpointErrors(url, secret="sk-secret")
    client = DirectClient(url, {"accept": "*/*"}, errors, connect_seconds=5.0, idle_seconds=idle_seconds)
    try:
        yield client
    finally:
        await client.close()


async def answer(client: DirectClient, body: bytes = b"{}") -> bytes:
    """The whole body of the response to one request."""
    response = await client.send("POST", body)
    try:
        return await response.read_whole()
    finally:
        response.close()


def whole(body: bytes, *headers: str) -> bytes:
    lines = "".join(f"{header}\r\n" for header in (f"content-length: {len(body)}", *headers))
    return f"HTTP/1.1 200 OK\r\n{lines}\r\n".encode() + body
