"""Reads the numbered SQL files of a store. A released file is never edited: each change is a new file."""

import logging
from dataclasses import dataclass
from pathlib import Path

from wakeful.errors import StoreTooNew

logger = logging.getLogger(__name__)

# The migration that turns allowances into grants, and the number of allowances that it drops.
FORGETS_ALLOWANCES = 8
FORGOTTEN_ALLOWANCES = "SELECT count(*) FROM allowances WHERE owner <> '' OR danger IN ('kill_server', 'unclear')"


@dataclass(frozen=True, slots=True)
class Migration:
    version: int
    sql: str


def migrations_in(folder: Path) -> list[Migration]:
    files = sorted(folder.glob("[0-9][0-9][0-9][0-9]_*.sql"))
    return [Migration(int(file.name[:4]), file.read_text(encoding="utf-8")) for file in files]


def warn_of_forgotten(allowances: int) -> None:
    if allowances:
        logger.warning(
            "%d permissions that an older version had granted for ever were dropped: the agent will ask again, and "
            "permissions are now granted for a session or a folder",
            allowances,
        )


def refuse_newer(found: int, known: int, where: str) -> None:
    if found > known:
        raise StoreTooNew(
            f"{where} was written by a newer Wakeful (schema {found}, this one knows {known}): "
            "install that version, or point WAKEFUL_DATABASE_URL or WAKEFUL_HOME elsewhere."
        )
