"""Rows of the journal, the event log and the news."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import orjson

from wakeful.model.event import TOOL, Event, NewEvent, News, Quote, quoted_texts
from wakeful.model.journal.entry import Chain, Entry, EntryKind
from wakeful.model.words import Said, Word, WordsEnd, WordsHead, unpack_cuts
from wakeful.store.rows.row import Row, Values, values_getter

ENTRY_COLUMNS = ("turn_id", "step", "idx", "kind", "payload", "cuts", "at")
# The columns of an event that has no numbers yet.
FACT_COLUMNS = ("kind", "payload", "ends", "step", "idx")
_OF_EVENT = ("session_id", "session_seq", "turn_id", "turn_seq", "at")
EVENT_COLUMNS = (*_OF_EVENT, *FACT_COLUMNS)
entry_values: Callable[[Entry], Values] = values_getter(ENTRY_COLUMNS)
_event_values = values_getter(_OF_EVENT)


def event_values(event: Event) -> Values:
    return *_event_values(event), *fact_values(event)


def fact_values(fact: NewEvent | Event) -> Values:
    return fact.kind, fact.kept, packed_end(fact.ends), *quoted_position(fact)


def quoted_position(fact: NewEvent | Event) -> tuple[int | None, int | None]:
    """Return step and index of the entry that a fact quotes."""
    return (None, None) if fact.quote is None else (fact.quote.step, fact.quote.index)


def packed_end(ends: WordsEnd | None) -> bytes | None:
    return None if ends is None else orjson.dumps(ends.data())


def entry_from(row: Row) -> Entry:
    return Entry(row["turn_id"], row["step"], row["idx"], EntryKind(row["kind"]), row["payload"], row["at"])


def chain_from(rows: Sequence[Row]) -> Chain:
    """Decode the rows of a chain of turns, oldest first, each joined with its entries, if it has any."""
    if not rows:
        return Chain("", None, [])
    first, last = rows[0], rows[-1]
    entries = [entry_from(row) for row in rows if row["kind"] is not None]
    return Chain(first["revision"], first["base"], entries, last["last"] if last["depth"] else None)


def events_from(rows: Iterable[Row]) -> list[Event]:
    """Decode rows of a log, each joined with the entry that it quotes. Calls of one answer quote the same entry: only
    the first of them in the page carries it.
    """
    entries: dict[tuple[str, int, int], dict[str, Any]] = {}
    return [_event_from(row, entries) for row in rows]


def _event_from(row: Row, entries: dict[tuple[str, int, int], dict[str, Any]]) -> Event:
    return Event(
        row["session_id"],
        row["session_seq"],
        row["turn_id"],
        row["turn_seq"],
        row["kind"],
        row["payload"],
        row["at"],
        None if row["ends"] is None else WordsEnd.from_data(orjson.loads(row["ends"])),
        None if row["step"] is None else _quote_from(row, entries),
    )


def _quote_from(row: Row, entries: dict[tuple[str, int, int], dict[str, Any]]) -> Quote:
    kind, step, index = row["kind"], row["step"], row["idx"]
    key = (row["turn_id"], step, 0 if kind == TOOL else index)
    if row["entry"] is not None:
        entries[key] = orjson.loads(row["entry"])
    entry = entries.get(key)
    return Quote(step, index, {} if entry is None else quoted_texts(kind, index, entry))


def words_from(row: Row | None, head: WordsHead, after: int, limit: int) -> list[Word]:
    """Return pieces of an entry's text and reasoning, from a row with its payload and cuts."""
    if row is None or not row["cuts"]:
        return []
    data = orjson.loads(row["payload"])
    said = Said(data["text"], data["reasoning"], unpack_cuts(row["cuts"]))
    return said.words(head, after, limit)


def news_from(row: Row) -> News:
    """Decode a row of news joined with its event and its session."""
    event = Event(
        session_id=row["session_id"],
        session_seq=row["session_seq"],
        turn_id=row["turn_id"],
        turn_seq=row["turn_seq"],
        kind=row["kind"],
        kept=row["payload"],
        at=row["at"],
    )
    return News(row["number"], event, row["title"], row["last_seq"])
