"""Discord's gateway on loopback: sessions that are identified, resumed and invalidated, with their events."""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from aiohttp import WSMsgType, web

DISPATCH, HEARTBEAT, IDENTIFY, RESUME, RECONNECT, INVALID_SESSION, HELLO, HEARTBEAT_ACK = 0, 1, 2, 6, 7, 9, 10, 11
_MESSAGE_CONTENT = 1 << 15


@dataclass
class GatewaySession:
    id: str
    # (type, data); the first has the number 1.
    events: list[tuple[str, Any]] = field(default_factory=list)
    socket: web.WebSocketResponse | None = None

    async def dispatch(self, type: str, data: Any) -> None:
        self.events.append((type, data))
        if self.socket is not None and not self.socket.closed:
            await self._send(len(self.events))

    async def replay(self, after: int) -> None:
        for number in range(after + 1, len(self.events) + 1):
            await self._send(number)

    async def _send(self, number: int) -> None:
        assert self.socket is not None
        type, data = self.events[number - 1]
        try:
            await self.socket.send_json({"op": DISPATCH, "t": type, "s": number, "d": data})
        except ConnectionError:
            # It was cut. The event is kept for a RESUME.
            self.socket = None


class DiscordGateway:
    def __init__(self, ready: Callable[[], dict[str, Any]], first: Callable[[], list[tuple[str, Any]]]) -> None:
        """`ready`: data of READY but for the session; `first`: the events after it."""
        self._ready = ready
        self._first = first
        self.url = ""
        self.token = ""
        self.has_message_content = True
        # A line to be cut before anything is said, as a broken proxy does it.
        self.is_dumb = False
        self.heartbeat_milliseconds = 41_250
        # Every IDENTIFY and RESUME, in order.
        self.openings: list[int] = []
        self.heartbeats = 0
        self.close_codes: list[int | None] = []
        self.sessions: dict[str, GatewaySession] = {}
        self.changed = asyncio.Condition()
        self._names = (f"session-{number}" for number in count(1))

    async def dispatch(self, type: str, data: Any) -> None:
        for session in self.sessions.values():
            await session.dispatch(type, data)

    def cut(self) -> None:
        """Cut every line without a word."""
        for session in self.sessions.values():
            if session.socket is not None and session.socket._req is not None:
                if session.socket._req.transport is not None:
                    session.socket._req.transport.abort()
                session.socket = None

    async def say(self, op: int, data: Any = None) -> None:
        for session in list(self.sessions.values()):
            if session.socket is not None:
                with suppress(ConnectionError):
                    await session.socket.send_json({"op": op, "d": data})

    def forget(self) -> None:
        """Let every RESUME fail from now on."""
        self.sessions.clear()

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        if self.is_dumb:
            await socket.close()
            return socket
        await socket.send_json({"op": HELLO, "d": {"heartbeat_interval": self.heartbeat_milliseconds}})
        async for frame in socket:
            if frame.type is WSMsgType.TEXT:
                said = json.loads(frame.data)
                await self._hear(socket, said["op"], said["d"])
                await self.tell()
        self.close_codes.append(socket.close_code)
        await self.tell()
        return socket

    async def tell(self) -> None:
        async with self.changed:
            self.changed.notify_all()

    async def _hear(self, socket: web.WebSocketResponse, op: int, data: Any) -> None:
        if op == HEARTBEAT:
            self.heartbeats += 1
            await socket.send_json({"op": HEARTBEAT_ACK})
        elif op == IDENTIFY:
            self.openings.append(op)
            await self._identify(socket, data)
        elif op == RESUME:
            self.openings.append(op)
            await self._resume(socket, data)

    async def _identify(self, socket: web.WebSocketResponse, data: Any) -> None:
        if data["token"] != self.token:
            await socket.close(code=4004, message=b"Authentication failed.")
        elif data["intents"] & _MESSAGE_CONTENT and not self.has_message_content:
            await socket.close(code=4014, message=b"Disallowed intent(s).")
        else:
            session = GatewaySession(next(self._names), socket=socket)
            self.sessions = {session.id: session}
            address = {"session_id": session.id, "resume_gateway_url": self.url}
            await session.dispatch("READY", self._ready() | address)
            for type, event in self._first():
                await session.dispatch(type, event)

    async def _resume(self, socket: web.WebSocketResponse, data: Any) -> None:
        session = self.sessions.get(data["session_id"])
        if session is None or data["token"] != self.token:
            await socket.send_json({"op": INVALID_SESSION, "d": False})
            return
        session.socket = socket
        await session.replay(data["seq"])
        await session.dispatch("RESUMED", {})
