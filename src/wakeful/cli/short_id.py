"""Ids as people type them. Their beginning tells when they were made; it is the end that tells them apart."""

# Among ten thousand, two that end alike are not to be expected.
_LENGTH = 6


def short_id(whole: str) -> str:
    _, _, rest = whole.rpartition("_")
    return rest[-_LENGTH:]


def is_meant(name: str, whole: str) -> bool:
    """Whether the name is a beginning or the end of this id, with or without the word for its kind before it."""
    kind, _, rest = whole.partition("_")
    bare = name.removeprefix(f"{kind}_")
    return whole.startswith(name) or rest.startswith(name) or (len(bare) > 1 and rest.endswith(bare))
