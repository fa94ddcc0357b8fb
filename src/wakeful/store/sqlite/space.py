"""Returns freed space to the file system in small steps, if the file was created or rebuilt with incremental vacuum."""

import logging
import sqlite3

_INCREMENTAL = 2
# A file up to this size is rebuilt in a moment; the operator rebuilds larger ones (see docs/self-hosting.md).
_QUICKLY_REBUILT = 32 * 1024 * 1024
# Free pages that are kept for the next writes.
_KEPT_PAGES = 1_000

logger = logging.getLogger(__name__)


def prepare(connection: sqlite3.Connection) -> None:
    """Rebuild a small file if needed. No transaction may be open, and no other connection."""
    if _read(connection, "auto_vacuum") == _INCREMENTAL:
        return
    if _read(connection, "page_count") * _read(connection, "page_size") > _QUICKLY_REBUILT:
        return
    try:
        connection.execute(f"PRAGMA auto_vacuum = {_INCREMENTAL}")
        connection.execute("VACUUM")
    except sqlite3.Error as error:
        # The file works as it is; the next start tries again.
        logger.warning("the database could not be rebuilt to return free space to the file system: %s", error)


def give_back(connection: sqlite3.Connection, pages: int) -> bool:
    """Return at most so many pages to the file system; false when there are none."""
    free = _read(connection, "freelist_count") - _KEPT_PAGES
    if _read(connection, "auto_vacuum") != _INCREMENTAL or free <= 0:
        return False
    for _ in range(min(pages, free)):
        # One at a time: Python 3.11 ends a statement without columns after its first step, which returns one page.
        connection.execute("PRAGMA incremental_vacuum(1)").fetchall()
    return True


def _read(connection: sqlite3.Connection, pragma: str) -> int:
    value: int = connection.execute(f"PRAGMA {pragma}").fetchone()[0]
    return value
