"""The title of a session that was branched off: that of the other one, with a number that tells them apart."""

import re
from collections.abc import Iterable

from wakeful.model.session import Session
from wakeful.store.base import Transaction

_NUMBERED = re.compile(r"(?P<base>.+) \(branch (?P<number>\d{1,9})\)", re.DOTALL)
# An older branch of the same name is far down in the list: nobody mistakes one for the other.
_LOOKED_AT = 200
_LIMIT = 200


async def branch_title(tx: Transaction, session: Session) -> str:
    """Empty while the session has no title: the branch gets one of its own then."""
    if not session.title:
        return ""
    newest = await tx.sessions.page(session.owner, limit=_LOOKED_AT)
    return next_title(session.title, [other.title for other in newest])


def next_title(title: str, taken: Iterable[str]) -> str:
    """A branch of a branch counts on with it."""
    base, _ = _split(title)
    numbers = [number for other, number in map(_split, [title, *taken]) if other == base]
    suffix = f" (branch {max(numbers) + 1})"
    return base[: _LIMIT - len(suffix)] + suffix


def _split(title: str) -> tuple[str, int]:
    """The session that was there first is number 1."""
    found = _NUMBERED.fullmatch(title)
    return (found["base"], int(found["number"])) if found else (title, 1)
