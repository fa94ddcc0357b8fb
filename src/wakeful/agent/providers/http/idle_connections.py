"""Connections that wait for their next request."""

import asyncio

from wakeful.agent.providers.http.connection import HttpConnection

# Shorter than servers usually keep an idle connection open, so that few are found dead.
_KEPT_SECONDS = 15.0


class IdleConnections:
    def __init__(self) -> None:
        # Newest last, each with the timer that closes it.
        self._idle: dict[HttpConnection, asyncio.TimerHandle] = {}
        self._is_closed = False

    def take(self) -> HttpConnection | None:
        """Return the connection that was used last, None where there is none."""
        while self._idle:
            connection, timer = self._idle.popitem()
            timer.cancel()
            if connection.is_reusable:
                return connection
        return None

    def give(self, connection: HttpConnection) -> None:
        """Keep a connection if it can be used again; close it otherwise."""
        if self._is_closed or not connection.is_reusable:
            connection.close()
            return
        loop = asyncio.get_running_loop()
        self._idle[connection] = loop.call_later(_KEPT_SECONDS, self._drop, connection)

    def close(self) -> None:
        """Close what waits; what is in use is closed when it is given back."""
        self._is_closed = True
        while self._idle:
            self._drop(next(iter(self._idle)))

    def _drop(self, connection: HttpConnection) -> None:
        self._idle.pop(connection).cancel()
        connection.close()
