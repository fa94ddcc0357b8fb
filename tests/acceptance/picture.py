"""A snapshot of a walk: every row of its database, read without the store, and its ledger."""

import asyncio
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import asyncpg
import orjson

from tests.acceptance.ledger import Ledger
from tests.acceptance.walker import SESSIONS
from wakeful.model.event import Event
from wakeful.model.inbox import InboxRow
from wakeful.model.journal.entry import Entry
from wakeful.model.session import Session
from wakeful.model.tasks.task import Task
from wakeful.model.turn import Turn
from wakeful.model.words import Word
from wakeful.store.rows.records import entry_from, events_from, words_from
from wakeful.store.rows.row import Row
from wakeful.store.rows.sessions import session_from
from wakeful.store.rows.tasks import task_from
from wakeful.store.rows.turns import inbox_row_from, turn_from

_QUERIES = {
    "sessions": "SELECT * FROM sessions",
    "turns": "SELECT * FROM turns ORDER BY opened_at",
    "inbox": "SELECT * FROM inbox ORDER BY id",
    "events": """SELECT e.*, j.payload AS entry FROM events e LEFT JOIN journal j ON j.turn_id = e.turn_id
                 AND j.step = e.step AND j.idx = CASE e.kind WHEN 'tool' THEN 0 ELSE e.idx END
                 ORDER BY e.session_id, e.session_seq""",
    "spending": "SELECT cost_usd FROM spending",
    "journal": "SELECT * FROM journal ORDER BY turn_id, step, idx",
    "tasks": """SELECT t.*, i.status AS notice_status, i.claimed_by AS woke_turn_id
                FROM tasks t LEFT JOIN inbox i ON i.session_id = t.session_id AND i.dedupe_key = 'task:' || t.id
                ORDER BY t.id""",
}

# A call's key in the journal: turn, step, index.
CallKey = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class Picture:
    sessions: dict[str, Session]
    turns: dict[str, Turn]
    inbox: dict[str, InboxRow]
    # The log of each session, and of each turn id that has one.
    logs: dict[str, list[Event]]
    turn_logs: dict[str, list[Event]]
    journal: dict[CallKey, Entry]
    # The kept words, by the number in the session's log of the event that ends them.
    kept: dict[tuple[str, int], list[Word]]
    tasks: dict[str, Task]
    # What all days have cost.
    spent_usd: float
    # What each session's follower has added to the ledger, over all processes.
    seen: dict[str, list[str]]
    # The words that it has added.
    words: dict[str, list[list[Any]]]
    # The runs of each tool.
    notes: list[CallKey]
    peeks: list[CallKey]
    # Message and turn id, once per submission.
    receipts: list[list[str]]
    deaths: list[str]
    commits: int
    warnings: list[str]


def take_picture(database: str, ledger: Ledger) -> Picture:
    rows = _rows_of(database)
    events = events_from(rows["events"])
    turn_ids = dict.fromkeys(event.turn_id for event in events if event.turn_id is not None)
    return Picture(
        sessions={row["id"]: session_from(row) for row in rows["sessions"]},
        turns={row["id"]: turn_from(row) for row in rows["turns"]},
        inbox={row["dedupe_key"]: inbox_row_from(row) for row in rows["inbox"]},
        logs={id_: [event for event in events if event.session_id == id_] for id_ in SESSIONS},
        turn_logs={id_: [event for event in events if event.turn_id == id_] for id_ in turn_ids},
        journal={(row["turn_id"], row["step"], row["idx"]): entry_from(row) for row in rows["journal"]},
        kept={(e.session_id, e.session_seq): _kept(e, rows["journal"]) for e in events if e.ends is not None},
        spent_usd=sum(row["cost_usd"] for row in rows["spending"]),
        tasks={row["id"]: task_from(row) for row in rows["tasks"]},
        seen={id_: ledger.lines(f"seen.{id_}") for id_ in SESSIONS},
        words={id_: [orjson.loads(line) for line in ledger.lines(f"words.{id_}")] for id_ in SESSIONS},
        notes=[_call_key(line) for line in ledger.lines("note")],
        peeks=[_call_key(line) for line in ledger.lines("peek")],
        receipts=[line.split() for line in ledger.lines("receipts")],
        deaths=ledger.lines("deaths"),
        commits=len(ledger.lines("commits")),
        warnings=ledger.lines("warnings"),
    )


def _kept(event: Event, journal: Sequence[Row]) -> list[Word]:
    assert event.ends is not None
    if event.ends.said is not None:
        return event.ends.said.words(event.words_head)
    key = (event.turn_id, event.ends.step, 0)
    found = [row for row in journal if (row["turn_id"], row["step"], row["idx"]) == key]
    return words_from(found[0], event.words_head, 0, event.ends.count) if event.ends.count else []


def _rows_of(database: str) -> Mapping[str, Sequence[Row]]:
    if database.startswith("postgresql:"):
        return asyncio.run(_postgres_rows(database))
    with closing(sqlite3.connect(database)) as connection:
        connection.row_factory = sqlite3.Row
        return {table: connection.execute(query).fetchall() for table, query in _QUERIES.items()}


async def _postgres_rows(database: str) -> dict[str, list[Any]]:
    connection = await asyncpg.connect(database)
    try:
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            return {table: await connection.fetch(query) for table, query in _QUERIES.items()}
    finally:
        await connection.close()


def _call_key(line: str) -> CallKey:
    turn_id, step, index = line.split()
    return turn_id, int(step), int(index)
