"""Writes metrics in the text format that Prometheus reads."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from wakeful.model.store_stats import Histogram

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

# The label values of a series, in the order of the label names.
Labels = tuple[str, ...]


def family(
    name: str, kind: str, words: str, names: Sequence[str], series: Mapping[Labels, float] | float
) -> Iterator[str]:
    """Yield the lines of one metric: a series for each set of labels, or a single one without labels."""
    yield f"# HELP {name} {words}"
    yield f"# TYPE {name} {kind}"
    known = series if isinstance(series, Mapping) else {(): series}
    for labels, value in sorted(known.items()):
        yield _sample(name, zip(names, labels, strict=True), value)


def histogram(name: str, words: str, seen: Histogram) -> Iterator[str]:
    yield f"# HELP {name} {words}"
    yield f"# TYPE {name} histogram"
    ends = [*(f"{bound:g}" for bound in seen.bounds), "+Inf"]
    for end, count in zip(ends, seen.up_to(), strict=True):
        yield _sample(f"{name}_bucket", [("le", end)], count)
    yield _sample(f"{name}_sum", [], seen.sum)
    yield _sample(f"{name}_count", [], seen.count)


def _sample(name: str, labels: Iterable[tuple[str, str]], value: float) -> str:
    written = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels)
    return f"{name}{{{written}}} {value:.15g}" if written else f"{name} {value:.15g}"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
