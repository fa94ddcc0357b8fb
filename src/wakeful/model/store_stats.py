"""Figures about a store, counted by the process that uses it."""

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate

_COMMIT_SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
_GROUP_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class Histogram:
    def __init__(self, bounds: Sequence[float]) -> None:
        """`bounds` are the upper bounds of the buckets, ascending; one more bucket takes larger values."""
        self.bounds = bounds
        self.sum = 0.0
        self._counts: Counter[int] = Counter()

    def add(self, value: float) -> None:
        self._counts[bisect_left(self.bounds, value)] += 1
        self.sum += value

    @property
    def count(self) -> int:
        return self._counts.total()

    def up_to(self) -> list[int]:
        """Return how many values there were up to each bound, and in all."""
        return list(accumulate(self._counts[bucket] for bucket in range(len(self.bounds) + 1)))


class StoreStats:
    def __init__(self) -> None:
        # Writes that wait or are under way.
        self.queue = 0
        # How many writes shared each commit, and how long commits took.
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
