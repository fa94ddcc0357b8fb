"""Rows of the search index."""

from collections.abc import Iterable
from itertools import chain
from typing import Any

from wakeful.model.search.search import Hit, searched_text
from wakeful.store.rows.records import entry_from
from wakeful.store.rows.row import Row


def hits_from(pages: Iterable[Iterable[Iterable[Any]]], limit: int) -> dict[str, Hit | None]:
    """Return the newest hit of each session, None where only its title matches; the rows are sorted newest first."""
    found: dict[str, Hit | None] = {}
    for session_id, turn_id, step, index in chain.from_iterable(pages):
        if session_id not in found and len(found) == limit:
            break
        if found.get(session_id) is None:
            found[session_id] = None if turn_id is None else Hit(turn_id, step, index)
    return found


def doc_text(row: Row) -> str:
    """Return the searchable text of a row: of its journal entry, or, where it has no turn, the session's title."""
    if row["turn_id"] is None:
        title: str = row["title"]
        return title
    try:
        return "" if row["kind"] is None else searched_text(entry_from(row))
    except (ValueError, LookupError, AttributeError):
        # Written by another version, or by hand: it cannot be found, and must not break the search for others.
        return ""
