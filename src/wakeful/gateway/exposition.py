"""Numbers in the text format that Prometheus reads."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

# The values of a series' labels, in the order of their names.
Labels = tuple[str, ...]


def family(
    name: str, kind: str, words: str, names: Sequence[str], series: Mapping[Labels, float] | float
) -> Iterator[str]:
    """The lines of one metric, with one series for each set of labels, or with one that has none."""
    yield f"# HELP {name} {words}"
    yield f"# TYPE {name} {kind}"
    known = series if isinstance(series, Mapping) else {(): series}
    for labels, value in sorted(known.items()):
        yield _sample(name, zip(names, labels, strict=True), value)


class Histogram:
    def __init__(self, bounds: Sequence[float]) -> None:
        """`bounds` are the upper ends of its buckets, in rising order."""
        self._bounds = bounds
        self._counts: Counter[int] = Counter()
        self._sum = 0.0

    def add(self, value: float) -> None:
        self._counts[bisect_left(self._bounds, value)] += 1
        self._sum += value

    def lines(self, name: str, words: str) -> Iterator[str]:
        yield f"# HELP {name} {words}"
        yield f"# TYPE {name} histogram"
        ends = [*(f"{bound:g}" for bound in self._bounds), "+Inf"]
        counts = accumulate(self._counts[place] for place in range(len(ends)))
        for end, count in zip(ends, counts, strict=True):
            yield _sample(f"{name}_bucket", [("le", end)], count)
        yield _sample(f"{name}_sum", [], self._sum)
        yield _sample(f"{name}_count", [], self._counts.total())


def _sample(name: str, labels: Iterable[tuple[str, str]], value: float) -> str:
    written = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels)
    return f"{name}{{{written}}} {value:.15g}" if written else f"{name} {value:.15g}"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
