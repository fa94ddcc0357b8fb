"""How often values of which size were seen."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate


class Histogram:
    def __init__(self, bounds: Sequence[float]) -> None:
        """`bounds` are the upper ends of its buckets, in rising order; there is one more for what is larger."""
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
        """How many there were up to each bound, and in all."""
        return list(accumulate(self._counts[place] for place in range(len(self.bounds) + 1)))
