"""Short names for things whose ids are too long to type."""

from collections.abc import Sequence
from hashlib import sha256

from wakeful.errors import WakefulError

_SHORTEST = 6


def short_names(ids: Sequence[str]) -> list[str]:
    """A name for each, always the same one, and long enough to tell these apart."""
    digests = [_digest(known) for known in ids]
    length = _SHORTEST
    while len({digest[:length] for digest in digests}) < len(set(digests)):
        length += 1
    return [digest[:length] for digest in digests]


def find_named(name: str, ids: Sequence[str], missing: type[WakefulError], noun: str) -> int:
    """The place of the one that is meant: by its name, the beginning of it, or its id."""
    places = [place for place, known in enumerate(ids) if name and (_digest(known).startswith(name) or known == name)]
    if not places:
        raise missing(f"There is no {noun} {name}.")
    if len(places) > 1:
        raise missing(f"{len(places)} {noun}s begin with {name}: type more of it.")
    return places[0]


def _digest(known: str) -> str:
    return sha256(known.encode()).hexdigest()
