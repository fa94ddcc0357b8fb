"""Keeps open connections for the next request."""

import asyncio

from wakeful.agent.providers.http.connection import HttpConnection

# Shorter than the idle timeout of most servers, so that few connections are found closed.
_KEPT_SECONDS = 15.0


class IdleConnections:
    def __init__(self) -> None:
        # Newest last, each with the timer that closes it.
        self._idle: dict[HttpConnection, asyncio.TimerHandle] = {}
        self._is_closed = False

    def take(self) -> HttpConnection | None:
        """Return the connection that was used last, None if there is none."""
        while self._idle:
            connection, timer = self._idle.popitem()
            timer.cancel()
            if connection.is_reusable:
                return connection
        return None

    def give(self, connection: HttpConnection) -> None:
        """Keep a connection that can be used again; close any other."""
        if self._is_closed or not connection.is_reusable:
            connection.close()
            return
        loop = asyncio.get_running_loop()
        self._idle[connection] = loop.call_later(_KEPT_SECONDS, self._drop, connection)

    def close(self) -> None:
        """Close the idle connections. Those in use are closed when they are given back."""
        self._is_closed = True
        while self._idle:
            self._drop(next(iter(self._idle)))

    def _drop(self, connection: HttpConnection) -> None:
        self._idle.pop(connection).cancel()
        connection.close()
