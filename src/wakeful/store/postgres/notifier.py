"""Notifies listeners in this process of the commits of all nodes: of its own at once, of others' through LISTEN.

Other nodes are notified after the commit, on a separate connection: a NOTIFY inside a transaction takes a lock of the
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

# How often the listening connection is checked: it may have died silently.
_CHECK_SECONDS = 30.0
_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 5.0
# How often the node looks for commits whose notification was lost.
_POLL_SECONDS = 1.0
# How long a stop waits for the last notifications to be sent.
_LAST_SEND_SECONDS = 1.0
# Notifications need not survive a crash of the server.
_UNSYNCED = {"synchronous_commit": "off"}


class PostgresNotifier:
    def __init__(self, address: ServerAddress) -> None:
        self._address = address
        self._origin = new_id("store")
        self._listeners = Listeners()
        self._outbox = Outbox(self._origin)
        self._missed = MissedCommits()
        self._channel = ""
        self._listening: asyncio.Task[None] | None = None
        self._sending: asyncio.Task[None] | None = None
        self._is_closing = False

    def listen(self, listener: Listener) -> None:
        self._listeners.add(listener)

    def watch(self, followed: Callable[[], Iterable[str]]) -> None:
        self._missed.add(followed)

    def publish(self, signal: Signal) -> None:
        """Notify of a commit of this process: listeners here now, other nodes as soon as the connection is free."""
        self._missed.note(newest_numbers(signal))
        self._listeners.notify(signal)
        self._outbox.add(signal)

    def publish_spoken(self, session_ids: Iterable[str]) -> None:
        """Let other nodes know that these sessions are streaming words at this node."""
        self._outbox.add_spoken(session_ids)

    def doubt(self, signal: Signal | None) -> None:
        """Notify of a commit of this process that may or may not have happened."""
        self._listeners.notify(EVERYTHING)
        if signal is not None:
            self._outbox.add(signal)

    async def open(self, channel: str) -> None:
        self._channel = channel
        driver = await self._connect_to_listen()
        self._listening = asyncio.create_task(self._keep_listening(driver), name="postgres-listening")
        self._sending = asyncio.create_task(self._keep_sending(), name="postgres-sending")

    async def close(self) -> None:
        """Send the last notifications, if the connection is up, and stop."""
        self._is_closing = True
        if self._sending is not None:
            self._outbox.wake()
            await asyncio.wait([self._sending], timeout=_LAST_SEND_SECONDS)
        jobs = [job for job in (self._sending, self._listening) if job is not None]
        for job in jobs:
            job.cancel()
        await asyncio.gather(*jobs, return_exceptions=True)

    def _hear(self, _driver: object, _pid: int, _channel: str, payload: object) -> None:
        origin, signal, numbers = read_payload(str(payload))
        if origin != self._origin:
            self._missed.note(numbers)
            self._listeners.notify(signal)

    async def _connect_to_listen(self) -> asyncpg.Connection:
        driver = await connect(self._address, statement_seconds=STATEMENT_SECONDS)
        try:
            with connecting(self._address.where):
                await driver.add_listener(self._channel, self._hear)
        except BaseException:
            driver.terminate()
            raise
        return driver

    async def _keep_listening(self, driver: asyncpg.Connection) -> None:
        while True:
            try:
                await _until_broken(driver, self._address.where)
            finally:
                driver.terminate()
            logger.warning("the connection that listens for other nodes' commits is broken: connecting again")
            driver = await _connect_with_retries(self._connect_to_listen)
            # Notifications may have been missed meanwhile.
            self._listeners.notify(EVERYTHING)

    async def _connect_to_send(self) -> asyncpg.Connection:
        return await connect(self._address, _UNSYNCED, statement_seconds=STATEMENT_SECONDS)

    async def _keep_sending(self) -> None:
        while not self._is_closing:
            driver = await _connect_with_retries(self._connect_to_send)
            try:
                await self._send_until_closed(PostgresConnection(driver, self._address.where))
            except StoreError as error:
                logger.warning("other nodes could not be notified of commits, trying again: %s", error)
            finally:
                driver.terminate()

    async def _send_until_closed(self, connection: PostgresConnection) -> None:
        polled_at = float("-inf")
        while not self._is_closing:
            await self._outbox.wait(polled_at + _POLL_SECONDS - time.monotonic())
            await self._outbox.send(connection, self._channel)
            if time.monotonic() >= polled_at + _POLL_SECONDS:
                polled_at = time.monotonic()
                await self._find_missed(connection)

    async def _find_missed(self, connection: PostgresConnection) -> None:
        missed = await self._missed.find(connection)
        if missed is not None:
            self._listeners.notify(missed)


async def _until_broken(driver: asyncpg.Connection, where: str) -> None:
    is_broken = asyncio.Event()
    driver.add_termination_listener(lambda _: is_broken.set())
    while not driver.is_closed():
        try:
            async with asyncio.timeout(_CHECK_SECONDS):
                await is_broken.wait()
        except TimeoutError:
            await _check(driver, where)


async def _check(driver: asyncpg.Connection, where: str) -> None:
    try:
        await PostgresConnection(driver, where).execute("SELECT 1")
    except StoreError:
        driver.terminate()


async def _connect_with_retries(connect_once: Callable[[], Awaitable[asyncpg.Connection]]) -> asyncpg.Connection:
    """Connect, and retry with growing pauses until it works."""
    pause = _FIRST_PAUSE_SECONDS
    while True:
        try:
            return await connect_once()
        except StoreError as error:
            logger.warning("%s", error)
        await asyncio.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)
