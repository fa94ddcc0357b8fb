"""Tells whether a client still reads what is sent to it, from its connection's write buffer."""

import asyncio

# The most bytes that chunked encoding adds to a piece.
_CHUNK = 12


class Uptake:
    def __init__(self, transport: asyncio.Transport | None, now: float) -> None:
        self._transport = transport
        # How much would be unsent if the client had read nothing since the last check. An estimate that is too high is
        # fine, one that is too low is not: a client that reads slowly must not count as stalled.
        self._untouched = 0
        self._taken_at = now

    @property
    def unsent(self) -> int:
        return 0 if self._transport is None else self._transport.get_write_buffer_size()

    def add(self, size: int) -> None:
        """Count a piece of this size as written to the connection."""
        self._untouched += size + _CHUNK

    def idle_seconds(self, now: float) -> float:
        """Return the seconds since a check last found that the client had read something."""
        unsent = self.unsent
        if unsent == 0 or unsent < self._untouched:
            self._untouched, self._taken_at = unsent, now
        return now - self._taken_at
