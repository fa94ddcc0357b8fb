"""Commits of all nodes, told to this process: its own at once, those of others through LISTEN.

The others are told after the commit, from a line of their own: a NOTIFY inside a transaction takes one lock for the
whole cluster and holds it while the log is synced.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable

import asyncpg

from wakeful.errors import StoreError
from wakeful.model.ids import new_id
from wakeful.store.base import Listener, Signal
from wakeful.store.listeners import Listeners
from wakeful.store.postgres.connection import STATEMENT_SECONDS, PostgresConnection, ServerAddress, connect, connecting
from wakeful.store.postgres.missed_commits import MissedCommits
from wakeful.store.postgres.outbox import EVERYTHING, Outbox, newest_numbers, read_payload

logger = logging.getLogger(__name__)

# A line that died without a word is found out by asking on it.
_CHECK_SECONDS = 30.0
_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 5.0
# How long a notification that was lost may delay what is followed here.
_QUESTION_SECONDS = 1.0
# A stop does not wait longer for its last words.
_LAST_WORDS_SECONDS = 1.0
# What is sent holds nothing that a crash of the server would have to keep.
_TELLING = {"synchronous_commit": "off"}


class PostgresNotifier:
    def __init__(self, address: ServerAddress) -> None:
        self._address = address
        self._origin = new_id("store")
        self._listeners = Listeners()
        self._outbox = Outbox(self._origin)
        self._missed = MissedCommits()
        self._channel = ""
        self._listening: asyncio.Task[None] | None = None
        self._telling: asyncio.Task[None] | None = None
        self._is_closing = False

    def listen(self, listener: Listener) -> None:
        self._listeners.add(listener)

    def watch(self, followed: Callable[[], Iterable[str]]) -> None:
        self._missed.add(followed)

    def tell(self, signal: Signal) -> None:
        """A commit of this process: told here now, and to the other nodes as soon as the line is free."""
        self._missed.note(newest_numbers(signal))
        self._listeners.tell(signal)
        self._outbox.add(signal)

    def tell_spoken(self, session_ids: Iterable[str]) -> None:
        """These are saying something here: the other nodes may want to show it."""
        self._outbox.add_spoken(session_ids)

    def doubt(self, signal: Signal | None) -> None:
        """A commit of this process whose outcome is not known: it may have happened."""
        self._listeners.tell(EVERYTHING)
        if signal is not None:
            self._outbox.add(signal)

    async def open(self, channel: str) -> None:
        self._channel = channel
        line = await self._connect_to_listen()
        self._listening = asyncio.create_task(self._keep_listening(line), name="postgres-listening")
        self._telling = asyncio.create_task(self._keep_telling(), name="postgres-telling")

    async def close(self) -> None:
        """What was committed last is still told, if the line is up."""
        self._is_closing = True
        if self._telling is not None:
            self._outbox.wake()
            await asyncio.wait([self._telling], timeout=_LAST_WORDS_SECONDS)
        jobs = [job for job in (self._telling, self._listening) if job is not None]
        for job in jobs:
            job.cancel()
        await asyncio.gather(*jobs, return_exceptions=True)

    def _hear(self, _line: object, _pid: int, _channel: str, payload: object) -> None:
        origin, signal, numbers = read_payload(str(payload))
        if origin != self._origin:
            self._missed.note(numbers)
            self._listeners.tell(signal)

    async def _connect_to_listen(self) -> asyncpg.Connection:
        line = await connect(self._address, statement_seconds=STATEMENT_SECONDS)
        try:
            with connecting(self._address.where):
                await line.add_listener(self._channel, self._hear)
        except BaseException:
            line.terminate()
            raise
        return line

    async def _keep_listening(self, line: asyncpg.Connection) -> None:
        while True:
            try:
                await _until_broken(line, self._address.where)
            finally:
                line.terminate()
            logger.warning("the line that tells of other nodes' commits is broken: connecting again")
            line = await _insist(self._connect_to_listen)
            # What was said meanwhile is not known.
            self._listeners.tell(EVERYTHING)

    async def _connect_to_tell(self) -> asyncpg.Connection:
        return await connect(self._address, _TELLING, statement_seconds=STATEMENT_SECONDS)

    async def _keep_telling(self) -> None:
        while not self._is_closing:
            line = await _insist(self._connect_to_tell)
            try:
                await self._tell_others(PostgresConnection(line, self._address.where))
            except StoreError as error:
                logger.warning("the other nodes cannot be told of commits, trying again: %s", error)
            finally:
                line.terminate()

    async def _tell_others(self, connection: PostgresConnection) -> None:
        asked_at = float("-inf")
        while not self._is_closing:
            await self._outbox.wait(asked_at + _QUESTION_SECONDS - time.monotonic())
            await self._outbox.send(connection, self._channel)
            if time.monotonic() >= asked_at + _QUESTION_SECONDS:
                asked_at = time.monotonic()
                await self._look_for_moved(connection)

    async def _look_for_moved(self, connection: PostgresConnection) -> None:
        moved = await self._missed.find_moved(connection)
        if moved is not None:
            self._listeners.tell(moved)


async def _until_broken(line: asyncpg.Connection, where: str) -> None:
    is_broken = asyncio.Event()
    line.add_termination_listener(lambda _: is_broken.set())
    while not line.is_closed():
        try:
            async with asyncio.timeout(_CHECK_SECONDS):
                await is_broken.wait()
        except TimeoutError:
            await _check(line, where)


async def _check(line: asyncpg.Connection, where: str) -> None:
    try:
        await PostgresConnection(line, where).execute("SELECT 1")
    except StoreError:
        line.terminate()


async def _insist(connect_once: Callable[[], Awaitable[asyncpg.Connection]]) -> asyncpg.Connection:
    """Try until it works."""
    pause = _FIRST_PAUSE_SECONDS
    while True:
        try:
            return await connect_once()
        except StoreError as error:
            logger.warning("%s", error)
        await asyncio.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)
