"""The index of words in SQLite. What is written changes it in the same transaction; what is removed leaves it."""

import sqlite3
from collections.abc import Iterable, Sequence

from wakeful.model.journal import Entry
from wakeful.model.search import Hit, Wanted, owner_word, searched_text, words_of
from wakeful.store.decode import entry_from, hits_from

TITLES, MESSAGES = "search_titles", "search_messages"
# Only what a list can show is searched.
_SHOWN = "s.is_listed AND s.task_id IS NULL"
_ENTRY = "j.turn_id, j.step, j.idx, j.kind, j.payload, j.at"
# Docs looked at, the newest first: a word that everybody uses is in too many to look at them all.
_MOST_DOCS = 20_000


class SqliteSearch:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def find(self, owner: str | None, wanted: Wanted, limit: int) -> dict[str, Hit | None]:
        if wanted.is_nothing:
            return {}
        rows = self._connection.execute(
            """SELECT d.session_id, d.turn_id, d.step, d.idx FROM (
                   SELECT rowid FROM search_words WHERE search_words MATCH ? ORDER BY rowid DESC LIMIT ?
               ) w CROSS JOIN search_docs d ON d.id = w.rowid""",
            (_expression(owner, wanted), _MOST_DOCS),
        )
        return hits_from(rows, limit)

    async def index_some(self, limit: int) -> bool:
        return self._index_titles(limit) or self._index_messages(limit)

    def add_entries(self, entries: Iterable[Entry]) -> None:
        owners: dict[str, tuple[str, str] | None] = {}
        for entry in entries:
            if not (words := words_of(searched_text(entry))):
                continue
            if entry.turn_id not in owners:
                owners[entry.turn_id] = self._shown_session_of(entry.turn_id)
            if (shown := owners[entry.turn_id]) is not None:
                self._add(None, shown[0], shown[1], words, (entry.turn_id, entry.step, entry.index))

    def remove_entry(self, entry: Entry) -> None:
        """As it was indexed."""
        doc = self._connection.execute(
            """SELECT d.id, s.owner FROM search_docs d JOIN sessions s ON s.id = d.session_id
               WHERE d.turn_id = ? AND d.step = ? AND d.idx = ?""",
            (entry.turn_id, entry.step, entry.index),
        ).fetchone()
        if doc is not None:
            self._remove(doc["id"], doc["owner"], words_of(searched_text(entry)))

    def set_title(self, session_id: str, title: str | None) -> None:
        """Before the session itself gets it: its old words are taken from there. None: it has none any more."""
        session = self._connection.execute(
            f"""SELECT s.owner, s.title, d.id AS doc, {_SHOWN} AS is_shown FROM sessions s
                LEFT JOIN search_docs d ON d.session_id = s.id AND d.turn_id IS NULL WHERE s.id = ?""",
            (session_id,),
        ).fetchone()
        if session is None or not session["is_shown"]:
            return
        if session["doc"] is not None:
            self._remove(session["doc"], session["owner"], words_of(session["title"]))
        if title:
            self._add(None, session_id, session["owner"], words_of(title), (None, None, None))

    def _index_titles(self, limit: int) -> bool:
        position = self._position(TITLES)
        if position is None:
            return False
        rows = self._connection.execute(
            f"""SELECT s.id, s.owner, s.title, {_SHOWN} AND d.id IS NULL AS is_new FROM sessions s
                LEFT JOIN search_docs d ON d.session_id = s.id AND d.turn_id IS NULL
                WHERE s.id > ? ORDER BY s.id LIMIT ?""",
            (position, limit),
        ).fetchall()
        for row in rows:
            if row["is_new"] and (words := words_of(row["title"])):
                self._add(self._id_below(), row["id"], row["owner"], words, (None, None, None))
        self._move(TITLES, rows[-1]["id"] if len(rows) == limit else None)
        return True

    def _index_messages(self, limit: int) -> bool:
        """The newest turns first: their ids begin with their time."""
        position = self._position(MESSAGES)
        if position is None:
            return False
        turns = self._connection.execute(
            f"""SELECT t.id, s.id AS session_id, s.owner, {_SHOWN} AS is_shown
                FROM turns t JOIN sessions s ON s.id = t.session_id WHERE t.id < ? ORDER BY t.id DESC LIMIT ?""",
            (position, limit),
        ).fetchall()
        for turn in turns:
            if turn["is_shown"]:
                self._index_turn(turn["id"], turn["session_id"], turn["owner"])
        self._move(MESSAGES, turns[-1]["id"] if len(turns) == limit else None)
        return True

    def _index_turn(self, turn_id: str, session_id: str, owner: str) -> None:
        rows = self._connection.execute(
            f"""SELECT {_ENTRY} FROM journal j
                LEFT JOIN search_docs d ON d.turn_id = j.turn_id AND d.step = j.step AND d.idx = j.idx
                WHERE j.turn_id = ? AND j.kind <> 'result' AND d.id IS NULL ORDER BY j.step DESC, j.idx DESC""",
            (turn_id,),
        ).fetchall()
        for entry in map(entry_from, rows):
            if words := words_of(searched_text(entry)):
                self._add(self._id_below(), session_id, owner, words, (turn_id, entry.step, entry.index))

    def _add(
        self, doc: int | None, session_id: str, owner: str, words: Sequence[str], place: tuple[object, ...]
    ) -> None:
        cursor = self._connection.execute(
            "INSERT INTO search_docs (id, session_id, turn_id, step, idx) VALUES (?, ?, ?, ?, ?)",
            (doc, session_id, *place),
        )
        self._connection.execute(
            "INSERT INTO search_words (rowid, words) VALUES (?, ?)", (cursor.lastrowid, _joined(owner, words))
        )

    def _remove(self, doc: int, owner: str, words: Sequence[str]) -> None:
        self._connection.execute("DELETE FROM search_docs WHERE id = ?", (doc,))
        # An index without its texts has to be told what it knew.
        self._connection.execute(
            "INSERT INTO search_words (search_words, rowid, words) VALUES ('delete', ?, ?)",
            (doc, _joined(owner, words)),
        )

    def _shown_session_of(self, turn_id: str) -> tuple[str, str] | None:
        """Its id and its owner; None when no list shows it."""
        row = self._connection.execute(
            f"SELECT s.id, s.owner FROM turns t JOIN sessions s ON s.id = t.session_id WHERE t.id = ? AND {_SHOWN}",
            (turn_id,),
        ).fetchone()
        return None if row is None else (row["id"], row["owner"])

    def _id_below(self) -> int:
        lowest: int | None = self._connection.execute("SELECT min(id) FROM search_docs").fetchone()[0]
        return min(1 if lowest is None else lowest, 1) - 1

    def _position(self, name: str) -> str | None:
        """None: all is done."""
        row = self._connection.execute("SELECT position FROM upkeep WHERE name = ?", (name,)).fetchone()
        return None if row is None else row["position"]

    def _move(self, name: str, position: str | None) -> None:
        if position is None:
            self._connection.execute("DELETE FROM upkeep WHERE name = ?", (name,))
        else:
            self._connection.execute("UPDATE upkeep SET position = ? WHERE name = ?", (position, name))


def _joined(owner: str, words: Sequence[str]) -> str:
    return " ".join((owner_word(owner), *words))


def _expression(owner: str | None, wanted: Wanted) -> str:
    terms = [f'"{word}"' for word in wanted.words]
    if wanted.beginning:
        terms.append(f'"{wanted.beginning}" *')
    if owner is not None:
        terms.append(f'"{owner_word(owner)}"')
    return " AND ".join(terms)
