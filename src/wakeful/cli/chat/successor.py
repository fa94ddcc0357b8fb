"""Replaces a server that has ended, so that the user of this chat can go on."""

import asyncio
from types import TracebackType

from wakeful.cli.connection import connected
from wakeful.cli.server.listener import is_answered, local_socket
from wakeful.config.config import Config


class Successor:
    """Serves on the socket of the ended server, so that its clients, including this chat, just reconnect."""

    def __init__(self, config: Config, door: str) -> None:
        self._config = config
        self._door = door
        self._job: asyncio.Task[None] | None = None
        self._may_end = asyncio.Event()

    async def __aenter__(self) -> "Successor":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._may_end.set()
        if self._job is not None:
            await asyncio.gather(self._job, return_exceptions=True)

    @property
    def is_at_work(self) -> bool:
        return self._job is not None and not self._job.done()

    async def start(self) -> bool:
        """Start to serve, unless a server answers; return whether this call started it. Raises StoreLocked while the
        old server still holds the database.
        """
        if self.is_at_work or is_answered(local_socket(self._config.home)):
            return False
        has_started: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._job = asyncio.create_task(self._serve(has_started), name="successor")
        await asyncio.wait([self._job, has_started], return_when=asyncio.FIRST_COMPLETED)
        if self._job.done():
            self._job.result()
        return True

    async def _serve(self, has_started: asyncio.Future[None]) -> None:
        async with connected(self._config, adopts=True, door=self._door):
            has_started.set_result(None)
            await self._may_end.wait()
