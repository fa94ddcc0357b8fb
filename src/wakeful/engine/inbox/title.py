"""Automatic titles: from the first words of a session, or from the session that it branches off."""

import re
from collections.abc import Iterable

from wakeful.model.session import Session
from wakeful.store.base import Transaction

_LENGTH = 60
_NUMBERED = re.compile(r"(?P<base>.+) \(branch (?P<number>\d{1,9})\)", re.DOTALL)
# Branches further down the list are too far away to be mistaken for the new one.
_NEWEST = 200
_BRANCH_LENGTH = 200


def title_from(text: str) -> str:
    """Return the first words on one line, without NUL, which PostgreSQL refuses in a text."""
    words = " ".join(text.replace("\0", " ").split())
    return words if len(words) <= _LENGTH else f"{words[: _LENGTH - 1].rstrip()}…"


async def branch_title(tx: Transaction, session: Session) -> str:
    """Return the session's title with the next free number; empty if it has none: the branch will get its own."""
    if not session.title:
        return ""
    newest = await tx.sessions.page(session.owner, limit=_NEWEST)
    return next_title(session.title, [other.title for other in newest])


def next_title(title: str, taken: Iterable[str]) -> str:
    """Number a branch among those of its base: a branch of "a (branch 2)" is "a (branch 3)"."""
    base, _ = _split(title)
    numbers = [number for other, number in map(_split, [title, *taken]) if other == base]
    suffix = f" (branch {max(numbers) + 1})"
    return base[: _BRANCH_LENGTH - len(suffix)] + suffix


def _split(title: str) -> tuple[str, int]:
    """Split a title into base and number; the original session is number 1."""
    found = _NUMBERED.fullmatch(title)
    return (found["base"], int(found["number"])) if found else (title, 1)
