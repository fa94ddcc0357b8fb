"""Tracks the connections on which browsers read, by login, to cut them off when the login ends."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from starlette.types import Scope

from wakeful.wire.sse import TRANSPORT


class OpenLines:
    """Holds a transport only while a request is under way on it, so thousands of streams cost a set entry each."""

    def __init__(self) -> None:
        self._lines: dict[str, set[asyncio.Transport]] = {}

    @contextmanager
    def kept(self, login: str, scope: Scope) -> Iterator[None]:
        """Track the connection of this request while the block runs. `login` is the digest of its login."""
        line: asyncio.Transport | None = scope.get("extensions", {}).get(TRANSPORT)
        if line is None:
            yield
            return
        self._lines.setdefault(login, set()).add(line)
        try:
            yield
        finally:
            self._forget(login, line)

    def logins(self) -> list[str]:
        return list(self._lines)

    def cut(self, login: str) -> None:
        """Abort the connections of a login. The browser reconnects, and is redirected to the login page."""
        for line in list(self._lines.get(login, ())):
            line.abort()

    def _forget(self, login: str, line: asyncio.Transport) -> None:
        lines = self._lines[login]
        lines.discard(line)
        if not lines:
            del self._lines[login]
