"""The connections on which browsers read, by their logins: when a login ends, so do they."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from starlette.types import Scope

from wakeful.wire.sse import TRANSPORT


class OpenLines:
    """Holds transports only while a request is under way on them; thousands of streams cost an entry of a set each."""

    def __init__(self) -> None:
        self._lines: dict[str, set[asyncio.Transport]] = {}

    @contextmanager
    def kept(self, login: str, scope: Scope) -> Iterator[None]:
        """For as long as the request of this scope takes. `login` is the digest of its login."""
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
        """The browser connects again, and is sent to the login page."""
        for line in list(self._lines.get(login, ())):
            line.abort()

    def _forget(self, login: str, line: asyncio.Transport) -> None:
        lines = self._lines[login]
        lines.discard(line)
        if not lines:
            del self._lines[login]
