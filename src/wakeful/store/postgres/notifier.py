"""Commits of all nodes, told to this process: its own at once, those of others through LISTEN."""

import asyncio
import logging

import asyncpg
import orjson

from wakeful.errors import StoreError
from wakeful.model.ids import new_id
from wakeful.store.base import Listener, Signal
from wakeful.store.listeners import Listeners
from wakeful.store.postgres.connection import STATEMENT_SECONDS, Connection, connect, connecting, quoted

logger = logging.getLogger(__name__)

EVERYTHING = Signal(frozenset(), is_everything=True)

# The server takes 7,999 bytes.
_LONGEST_PAYLOAD = 7_900
# A line that died without a word is found out by asking on it.
_CHECK_SECONDS = 30.0
_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 5.0


class PostgresNotifier:
    def __init__(self, url: str, where: str) -> None:
        self._url = url
        self._where = where
        self._origin = new_id("store")
        self._listeners = Listeners()
        self._channel = ""
        self._line: asyncpg.Connection | None = None
        self._is_broken = asyncio.Event()
        self._job: asyncio.Task[None] | None = None

    def listen(self, listener: Listener) -> None:
        self._listeners.add(listener)

    def publish(self, signal: Signal) -> None:
        """Tell this process."""
        self._listeners.tell(signal)

    def announcement(self, signal: Signal) -> str:
        """The command that tells the other nodes, when its transaction is committed."""
        return f"SELECT pg_notify({quoted(self._channel)}, {quoted(_encode(self._origin, signal))})"

    async def open(self, channel: str) -> None:
        self._channel = channel
        self._line = await self._connect()
        self._job = asyncio.create_task(self._keep_listening(self._line), name="postgres-notifier")

    async def close(self) -> None:
        if self._job is not None:
            self._job.cancel()
            await asyncio.gather(self._job, return_exceptions=True)
            self._job = None
        if self._line is not None:
            self._line.terminate()
            self._line = None

    async def _connect(self) -> asyncpg.Connection:
        line = await connect(self._url, self._where, statement_seconds=STATEMENT_SECONDS)
        self._is_broken = is_broken = asyncio.Event()
        line.add_termination_listener(lambda _: is_broken.set())
        try:
            with connecting(self._where):
                await line.add_listener(self._channel, self._hear)
        except BaseException:
            line.terminate()
            raise
        return line

    def _hear(self, _line: object, _pid: int, _channel: str, payload: object) -> None:
        origin, signal = _decode(str(payload))
        if origin != self._origin:
            self.publish(signal)

    async def _keep_listening(self, line: asyncpg.Connection) -> None:
        while True:
            await self._until_broken(line)
            logger.warning("the line that tells of other nodes' commits is broken: connecting again")
            self._line = line = await self._reconnect()
            # Nobody knows what was said meanwhile.
            self.publish(EVERYTHING)

    async def _until_broken(self, line: asyncpg.Connection) -> None:
        while not line.is_closed():
            try:
                await asyncio.wait_for(self._is_broken.wait(), _CHECK_SECONDS)
            except TimeoutError:
                await self._check(line)

    async def _check(self, line: asyncpg.Connection) -> None:
        try:
            await Connection(line, self._where).execute("SELECT 1")
        except StoreError:
            line.terminate()

    async def _reconnect(self) -> asyncpg.Connection:
        pause = _FIRST_PAUSE_SECONDS
        while True:
            try:
                return await self._connect()
            except StoreError as error:
                logger.warning("%s", error)
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)


def _encode(origin: str, signal: Signal) -> str:
    """Where to look. What would not fit becomes "everywhere"."""
    payload = orjson.dumps([origin, sorted(signal.sessions), signal.fenced])
    if len(payload) > _LONGEST_PAYLOAD:
        payload = orjson.dumps([origin])
    return payload.decode()


def _decode(payload: str) -> tuple[str, Signal]:
    origin, *where = orjson.loads(payload)
    if not where:
        return origin, EVERYTHING
    sessions, fenced = where
    return origin, Signal(frozenset(sessions), fenced)
