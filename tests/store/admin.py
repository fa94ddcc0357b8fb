"""A look at the PostgreSQL server from outside the store."""

import asyncio
from types import TracebackType
from typing import Any, Self

import asyncpg

from tests.patience import PATIENCE


class Admin:
    def __init__(self, url: str) -> None:
        self._url = url

    async def __aenter__(self) -> Self:
        self._connection = await asyncpg.connect(self._url)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.terminate()

    async def execute(self, *statements: str) -> None:
        for statement in statements:
            await self._connection.execute(statement)

    async def fetch(self, query: str) -> list[asyncpg.Record]:
        return await self._connection.fetch(query)

    async def fetchval(self, query: str, *arguments: object) -> Any:
        return await self._connection.fetchval(query, *arguments)

    async def end_transactions(self) -> None:
        """End the connections that are in the middle of one."""
        await self._end("state = 'idle in transaction'")

    async def end_listening(self) -> None:
        """End the connections that wait for notifications."""
        await self._end("query LIKE 'LISTEN %'")

    async def until_waiting(self, count: int) -> None:
        """Wait until that many connections of stores wait for a lock."""
        async with asyncio.timeout(PATIENCE):
            while count != await self.fetchval(
                """SELECT count(*) FROM pg_stat_activity
                   WHERE application_name LIKE 'wakeful %' AND wait_event_type = 'Lock'"""
            ):
                # Inside a transaction the view would return its first result again and again.
                await self.execute("SELECT pg_stat_clear_snapshot()")

    async def _end(self, which: str) -> None:
        ended = await self.fetchval(
            f"""SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity
                WHERE application_name LIKE 'wakeful %' AND {which}"""
        )
        assert ended > 0
