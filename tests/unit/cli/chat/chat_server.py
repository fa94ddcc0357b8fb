"""A server with one session, for chats in the process of a test: it sends the frames that a test gives it."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import Any

from wakeful.cli.client import Client, ServerEvent
from wakeful.errors import WakefulError

Frame = tuple[str, dict[str, Any]]


class ChatServer(Client):
    def __init__(self) -> None:
        super().__init__(Path("nowhere"), "", "terminal")
        self.session: dict[str, Any] = {"session_id": "ses_01aaaaaa", "title": "Tidy up", "model": "demo:wakeful"}
        self.snapshot: dict[str, Any] = {
            "session": self.session,
            "messages": [],
            "active": None,
            "cursor": "0",
            "tasks": [],
            "queued": [],
            "pending_notices": [],
            "approvals": [],
            "turns": {},
        }
        # What other requests are answered with, by path.
        self.answers: dict[str, dict[str, Any]] = {
            "/api/session/new": {"session_id": "ses_01aaaaaa"},
            "/api/chat/start": {"turn_id": "turn_1"},
            "/api/chat/cancel": {"cancelled": True},
        }
        # Errors that requests meet first, by path.
        self.faults: dict[str, list[WakefulError]] = defaultdict(list)
        # What was asked: method, path, and what it carried.
        self.asked: list[tuple[str, str, Mapping[str, Any]]] = []
        # Cleared while the server is slow to answer what is asked, or to take what is posted.
        self.gives, self.takes = asyncio.Event(), asyncio.Event()
        self.gives.set()
        self.takes.set()
        # Streams that are open now, by what they carry.
        self.open_streams: list[str] = []
        self._frames: dict[str, asyncio.Queue[Frame | WakefulError]] = defaultdict(asyncio.Queue)
        self._has_news = asyncio.Event()

    def send(self, name: str, data: dict[str, Any], stream: str = "session") -> None:
        """Send a frame on the stream of the session, of the news of others, or of the work of sub-agents."""
        self._frames[stream].put_nowait((name, data))

    def break_stream(self, error: WakefulError, stream: str = "session") -> None:
        self._frames[stream].put_nowait(error)

    def carried(self, path: str) -> list[Mapping[str, Any]]:
        """Return what requests to this path carried."""
        return [carried for _, asked, carried in self.asked if asked == path]

    async def until_asked(self, path: str, times: int = 1) -> None:
        async with asyncio.timeout(10):
            while len(self.carried(path)) < times:
                self._has_news.clear()
                await self._has_news.wait()

    async def until_closed(self, stream: str) -> None:
        async with asyncio.timeout(10):
            while stream in self.open_streams:
                self._has_news.clear()
                await self._has_news.wait()

    async def get(self, path: str, **query: str | int) -> dict[str, Any]:
        await self.gives.wait()
        return self._answered("GET", path, query, self.snapshot if path == "/api/session" else {})

    async def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        await self.takes.wait()
        return self._answered("POST", path, body, {})

    async def patch(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        return self._answered("PATCH", path, body, {})

    async def upload(self, file: Path, session_id: str = "") -> dict[str, Any]:
        answer = self._answered("POST", "/api/attachments", {"file": file, "session_id": session_id}, {})
        return {"id": f"att_{file.name}", "name": file.name, "type": "text/plain", "size": 1234} | answer

    async def events(self, path: str, *, after: str = "", **query: str) -> AsyncGenerator[ServerEvent, None]:
        stream = "news" if "news" in query else "work" if "work" in query else "session"
        self.open_streams.append(stream)
        try:
            if stream == "session":
                yield ServerEvent("0", "initial", {"active": self.snapshot["active"]})
            number = 0
            while True:
                frame = await self._frames[stream].get()
                if isinstance(frame, WakefulError):
                    raise frame
                number += 1
                yield ServerEvent(str(number), *frame)
        finally:
            self.open_streams.remove(stream)
            self._has_news.set()

    def _answered(self, method: str, path: str, carried: Mapping[str, Any], usual: dict[str, Any]) -> dict[str, Any]:
        self.asked.append((method, path, carried))
        self._has_news.set()
        if self.faults[path]:
            raise self.faults[path].pop(0)
        return self.answers.get(path, usual)
