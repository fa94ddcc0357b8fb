"""Ids as people type them. Their beginning tells when they were made; it is the end that tells them apart."""

from wakeful.cli.plain_text import one_line

# Among ten thousand, two that end alike are not to be expected.
_LENGTH = 6


def short_id(whole: str) -> str:
    _, _, rest = whole.rpartition("_")
    return rest[-_LENGTH:]


def only_one(name: str, known: list[str], missing: type[Exception], noun: str) -> str:
    """Ids begin with a word for their kind, which need not be typed."""
    matches = [each for each in known if _is_meant(name, each)]
    if name in matches:
        return name
    if not name or not matches:
        raise missing(f"There is no {noun} {one_line(name)}.")
    if len(matches) > 1:
        raise missing(f"{len(matches)} {noun}s begin or end with {one_line(name)}: type more of it.")
    return matches[0]


def _is_meant(name: str, whole: str) -> bool:
    """Whether the name is a beginning or the end of this id, with or without the word for its kind before it."""
    kind, _, rest = whole.partition("_")
    bare = name.removeprefix(f"{kind}_")
    return whole.startswith(name) or rest.startswith(name) or (len(bare) > 1 and rest.endswith(bare))
