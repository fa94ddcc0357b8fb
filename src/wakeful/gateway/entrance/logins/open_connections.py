"""Tracks the connections on which browsers read, by login, to cut them off when the login ends."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from starlette.types import Scope

from wakeful.wire.sse import TRANSPORT


class OpenConnections:
    """Holds a transport only while a request is under way on it, so thousands of streams cost a set entry each."""

    def __init__(self) -> None:
        self._connections: dict[str, set[asyncio.Transport]] = {}

    @contextmanager
    def tracked(self, login: str, scope: Scope) -> Iterator[None]:
        """Track the connection of this request while the block runs. `login` is the digest of its login."""
        connection: asyncio.Transport | None = scope.get("extensions", {}).get(TRANSPORT)
        if connection is None:
            yield
            return
        self._connections.setdefault(login, set()).add(connection)
        try:
            yield
        finally:
            self._forget(login, connection)

    def logins(self) -> list[str]:
        return list(self._connections)

    def cut(self, login: str) -> None:
        """Abort the connections of a login. The browser reconnects, and is redirected to the login page."""
        for connection in list(self._connections.get(login, ())):
            connection.abort()

    def _forget(self, login: str, connection: asyncio.Transport) -> None:
        connections = self._connections[login]
        connections.discard(connection)
        if not connections:
            del self._connections[login]
