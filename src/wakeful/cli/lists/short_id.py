"""Ids as people type them.

An id begins with the time it was made, so its end is what tells it from others.
"""

from collections.abc import Sequence
from hashlib import sha256

from wakeful.cli.plain_text import one_line
from wakeful.errors import WakefulError

# With ten thousand ids, two that end alike are unlikely.
_LENGTH = 6


def short_id(whole: str) -> str:
    _, _, rest = whole.rpartition("_")
    return rest[-_LENGTH:]


def only_one(name: str, known: list[str], missing: type[WakefulError], noun: str) -> str:
    """Return the id that `name` stands for: a unique beginning or end of it, with or without its prefix such as ses_.
    Raises `missing` if there is none or several.
    """
    matches = [each for each in known if _is_meant(name, each)]
    if name in matches:
        return name
    if not name or not matches:
        raise missing(f"There is no {noun} {one_line(name)}.")
    if len(matches) > 1:
        raise missing(f"{len(matches)} {noun}s begin or end with {one_line(name)}: type more of it.")
    return matches[0]


def _is_meant(name: str, whole: str) -> bool:
    """Whether the name is a beginning or an end of this id, with or without its prefix."""
    kind, _, rest = whole.partition("_")
    bare = name.removeprefix(f"{kind}_")
    return whole.startswith(name) or rest.startswith(name) or (len(bare) > 1 and rest.endswith(bare))


def short_names(ids: Sequence[str]) -> list[str]:
    """Return a short name for each id that is too long to type: a digest, as long as it takes to tell these apart."""
    digests = [_digest(known) for known in ids]
    length = _LENGTH
    while len({digest[:length] for digest in digests}) < len(set(digests)):
        length += 1
    return [digest[:length] for digest in digests]


def find_named(name: str, ids: Sequence[str], missing: type[WakefulError], noun: str) -> int:
    """Return the index of the id that `name` stands for: its short name, the beginning of that, or the id itself."""
    matches = [index for index, known in enumerate(ids) if name and (_digest(known).startswith(name) or known == name)]
    if not matches:
        raise missing(f"There is no {noun} {name}.")
    if len(matches) > 1:
        raise missing(f"{len(matches)} {noun}s begin with {name}: type more of it.")
    return matches[0]


def _digest(known: str) -> str:
    return sha256(known.encode()).hexdigest()
