"""How a store is doing, counted by the process that uses it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from wakeful.model.histogram import Histogram

_COMMIT_SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
_GROUP_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class StoreStats:
    def __init__(self) -> None:
        # Writes that wait or are under way.
        self.queue = 0
        # How many writes shared one commit, and how long commits took.
        self.group_sizes = Histogram(_GROUP_SIZES)
        self.commit_seconds = Histogram(_COMMIT_SECONDS)
        self._last_success: float | None = None

    @contextmanager
    def writing(self) -> Iterator[None]:
        self.queue += 1
        try:
            yield
        finally:
            self.queue -= 1

    def note_commit(self, size: int, seconds: float) -> None:
        self.group_sizes.add(size)
        self.commit_seconds.add(seconds)
        self.note_success()

    def note_success(self) -> None:
        self._last_success = time.monotonic()

    @property
    def seconds_since_success(self) -> float | None:
        return None if self._last_success is None else time.monotonic() - self._last_success
