"""A limit on how long the other side may say nothing."""

import asyncio
from collections.abc import Callable


class Silence:
    """Calls back when nothing was heard for so many seconds. Hearing something only notes the time: there is one timer,
    which looks at the note when it is due, because to set a timer anew costs more than to read a token.
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
            self._timer = None

    def _look(self) -> None:
        left = self._heard_at + self._seconds - self._loop.time()
        if left > 0:
            self._timer = self._loop.call_later(left, self._look)
        else:
            self._timer = None
            self._on_silence()
