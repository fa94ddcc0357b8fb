"""Whether a reader takes what is sent to it, as far as its connection shows."""

import asyncio

# What the chunked encoding adds to a piece, at most.
_CHUNK = 12


class Uptake:
    def __init__(self, transport: asyncio.Transport | None, now: float) -> None:
        self._transport = transport
        # What would be unsent if the reader had taken nothing since the last look. Rather too much than too little: a
        # reader that takes a little must not count as stalled.
        self._untouched = 0
        self._taken_at = now

    @property
    def unsent(self) -> int:
        return 0 if self._transport is None else self._transport.get_write_buffer_size()

    def add(self, size: int) -> None:
        """A piece of this size was given to the connection."""
        self._untouched += size + _CHUNK

    def idle_seconds(self, now: float) -> float:
        """Return for how long the reader has taken nothing, as far as the looks could see."""
        unsent = self.unsent
        if unsent == 0 or unsent < self._untouched:
            self._untouched, self._taken_at = unsent, now
        return now - self._taken_at
