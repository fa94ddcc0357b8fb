"""A title from the first words of a session, until somebody finds a better one."""

_LENGTH = 60


def title_from(text: str) -> str:
    """On one line, and without NUL, which not every store takes in a title."""
    words = " ".join(text.replace("\0", " ").split())
    return words if len(words) <= _LENGTH else f"{words[: _LENGTH - 1].rstrip()}…"
