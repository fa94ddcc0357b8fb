"""Space that was freed goes back to the file system, in small steps, if the file was made or rebuilt for it."""

import logging
import sqlite3

_INCREMENTAL = 2
# A file of this size is rebuilt in a moment; a larger one only by the operator (see docs/self-hosting.md).
_QUICKLY_REBUILT = 32 * 1024 * 1024
# So many free pages stay: what is written next takes them.
_KEPT_PAGES = 1_000

logger = logging.getLogger(__name__)


def prepare(connection: sqlite3.Connection) -> None:
    """Before a transaction is open, and before anybody else has the file open."""
    if _ask(connection, "auto_vacuum") == _INCREMENTAL:
        return
    if _ask(connection, "page_count") * _ask(connection, "page_size") > _QUICKLY_REBUILT:
        return
    try:
        connection.execute(f"PRAGMA auto_vacuum = {_INCREMENTAL}")
        connection.execute("VACUUM")
    except sqlite3.Error as error:
        # The file works as it is; the next start tries again.
        logger.warning("the database cannot be made to give space back: %s", error)


def give_back(connection: sqlite3.Connection, pages: int) -> bool:
    """So many pages at most; false when there are none to give back."""
    if _ask(connection, "auto_vacuum") != _INCREMENTAL or _ask(connection, "freelist_count") <= _KEPT_PAGES:
        return False
    connection.execute(f"PRAGMA incremental_vacuum({pages})").fetchall()
    return True


def _ask(connection: sqlite3.Connection, pragma: str) -> int:
    value: int = connection.execute(f"PRAGMA {pragma}").fetchone()[0]
    return value
