"""A line to the database that a test holds in its hand."""

from collections.abc import Awaitable, Callable
from typing import Any

from wakeful.store.postgres.connection import PostgresConnection

Answer = Callable[..., Awaitable[Any]]


class FakeLine(PostgresConnection):
    """Hands every question to a function of the test."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    async def fetch(self, query: str, *arguments: object) -> list[Any]:
        found: list[Any] = await self._answer(*arguments)
        return found

    async def execute(self, query: str, *arguments: object) -> str:
        await self._answer(*arguments)
        return ""
