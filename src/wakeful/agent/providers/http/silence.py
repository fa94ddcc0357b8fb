"""A limit on how long the other side may send nothing."""

import asyncio
from collections.abc import Callable


class Silence:
    """Calls `on_silence` when `hear` was not called for so many seconds.

    `hear` only stores the time, and the one timer checks it when it is due: restarting a timer for every token would
    cost more than reading the token.
    """

    def __init__(self, seconds: float, on_silence: Callable[[], None]) -> None:
        self._seconds = seconds
        self._on_silence = on_silence
        self._loop = asyncio.get_running_loop()
        self._heard_at = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        self.end()
        self.hear()
        self._timer = self._loop.call_later(self._seconds, self._look)

    def hear(self) -> None:
        self._heard_at = self._loop.time()

    def end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _look(self) -> None:
        left = self._heard_at + self._seconds - self._loop.time()
        if left > 0:
            self._timer = self._loop.call_later(left, self._look)
        else:
            self._on_silence()
