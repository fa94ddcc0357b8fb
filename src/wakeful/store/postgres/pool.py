"""Connections that are used again. One that broke meanwhile is replaced, so that a restarted server is not noticed."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from wakeful.errors import StoreUnavailable
from wakeful.store.postgres.connection import (
    CONNECT_SECONDS,
    DRIVER_ERRORS,
    SETTINGS,
    STATEMENT_SECONDS,
    Connection,
    connecting,
)

_CLOSE_SECONDS = 10.0


class Pool:
    def __init__(self, url: str, where: str, size: int, settings: dict[str, str] | None = None) -> None:
        self._url = url
        self._where = where
        self._size = size
        self._settings = SETTINGS | (settings or {})
        self._pool: asyncpg.Pool | None = None

    async def open(self) -> None:
        with connecting(self._where):
            self._pool = await asyncpg.create_pool(
                self._url,
                min_size=1,
                max_size=self._size,
                timeout=CONNECT_SECONDS,
                command_timeout=STATEMENT_SECONDS,
                server_settings=self._settings,
                reset=_leave_as_it_is,
            )

    async def close(self) -> None:
        """Waits for the transactions under way, but not for a server that does not answer."""
        if self._pool is not None:
            pool, self._pool = self._pool, None
            try:
                await asyncio.wait_for(pool.close(), _CLOSE_SECONDS)
            except DRIVER_ERRORS:
                pool.terminate()

    @asynccontextmanager
    async def transaction(self, begin: str) -> AsyncIterator[Connection]:
        """A connection in a transaction, which is undone unless whoever asked commits it."""
        pool = self._pool
        if pool is None:
            raise RuntimeError("the store is not open")
        driver = await self._begun(pool, begin)
        connection = Connection(driver, self._where)
        try:
            yield connection
        finally:
            await connection.undo()
            await pool.release(driver)

    async def _begun(self, pool: asyncpg.Pool, begin: str) -> PoolConnectionProxy:
        try:
            return await self._try_to_begin(pool, begin)
        except _BrokenMeanwhile:
            # The others lay idle as long as this one.
            await pool.expire_connections()
        return await self._try_to_begin(pool, begin)

    async def _try_to_begin(self, pool: asyncpg.Pool, begin: str) -> PoolConnectionProxy:
        with connecting(self._where):
            driver = await pool.acquire()
        try:
            await Connection(driver, self._where).execute(begin)
        except StoreUnavailable as error:
            await pool.release(driver)
            raise _BrokenMeanwhile(str(error)) from error
        except BaseException:
            await pool.release(driver)
            raise
        return driver


class _BrokenMeanwhile(StoreUnavailable):
    """A connection turned out to be broken before anything was done with it."""


async def _leave_as_it_is(_: asyncpg.Connection) -> None:
    """We set nothing on a connection that would have to be reset: it saves a round trip for each use."""
