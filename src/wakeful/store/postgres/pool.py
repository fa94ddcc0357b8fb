"""A pool of connections. Connections that broke while idle are replaced, so that callers survive a server restart."""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from wakeful.errors import StoreUnavailable
from wakeful.store.postgres.connection import (
    CONNECT_SECONDS,
    DRIVER_ERRORS,
    STATEMENT_SECONDS,
    PostgresConnection,
    ServerAddress,
    connecting,
)

logger = logging.getLogger(__name__)

_CLOSE_SECONDS = 3.0


class PostgresPool:
    def __init__(
        self,
        address: ServerAddress,
        size: int,
        settings: Mapping[str, str] | None = None,
        *,
        statement_seconds: float = STATEMENT_SECONDS,
    ) -> None:
        self._address = address
        self._where = address.where
        self._size = size
        self._settings = settings or {}
        self._statement_seconds = statement_seconds
        self._pool: asyncpg.Pool | None = None

    async def open(self) -> None:
        with connecting(self._where):
            self._pool = await asyncpg.create_pool(
                self._address.url,
                min_size=0,
                max_size=self._size,
                timeout=CONNECT_SECONDS,
                command_timeout=self._statement_seconds,
                server_settings=self._address.settings(self._settings),
                reset=_skip_reset,
            )

    async def close(self) -> None:
        """Wait for running transactions, but not for a server that does not answer, and close."""
        if self._pool is not None:
            pool, self._pool = self._pool, None
            # A pool whose closing fails, or is given up, ends its connections.
            with suppress(*DRIVER_ERRORS):
                await asyncio.wait_for(pool.close(), _CLOSE_SECONDS)

    @asynccontextmanager
    async def transaction(self, begin: str) -> AsyncIterator[PostgresConnection]:
        """Yield a connection in a transaction, which is rolled back unless the caller commits it."""
        pool = self._pool
        if pool is None:
            raise RuntimeError("the store is not open")
        driver = await self._begun(pool, begin)
        connection = PostgresConnection(driver, self._where)
        try:
            yield connection
        finally:
            await connection.undo()
            await _give_back(pool, driver)

    async def _begun(self, pool: asyncpg.Pool, begin: str, *, is_fresh: bool = False) -> PoolConnectionProxy:
        with connecting(self._where):
            driver = await pool.acquire()
        try:
            await PostgresConnection(driver, self._where).execute(begin)
        except BaseException as error:
            await PostgresConnection(driver, self._where).undo()
            await _give_back(pool, driver)
            if is_fresh or not isinstance(error, StoreUnavailable):
                raise
        else:
            return driver
        # It broke while it was idle, and so have the other idle ones, probably.
        await pool.expire_connections()
        return await self._begun(pool, begin, is_fresh=True)


async def _give_back(pool: asyncpg.Pool, driver: PoolConnectionProxy) -> None:
    try:
        await pool.release(driver)
    except DRIVER_ERRORS:
        # The pool has discarded it. What was done with it before is not affected.
        logger.debug("a connection could not be returned to the pool", exc_info=True)


async def _skip_reset(_: asyncpg.Connection) -> None:
    """Save a round trip per use: we set nothing on a connection that would have to be reset."""
