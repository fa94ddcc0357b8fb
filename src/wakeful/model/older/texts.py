"""Finds the journal entries that events can quote instead of the long texts that an older version stored in them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from wakeful.model.event import QUOTING, TOOL, TOOL_COMPLETE, Event, NewEvent, quoted_texts
from wakeful.model.journal.entry import Entry, EntryKind

# Moving a shorter text costs more than it saves.
LONG_BYTES = 1000

# By step and index.
_Entries = Mapping[tuple[int, int], Entry]


def quotes_of(log: Sequence[Event], journal: Iterable[Entry]) -> list[Event]:
    """Return a turn's events that can quote an entry, changed to do so. To readers they are the same."""
    entries = {(entry.step, entry.index): entry for entry in journal}
    old = [event for event in log if event.kind in QUOTING and event.quote is None]
    long = [event for event in old if event.kind != TOOL and len(event.kept) > LONG_BYTES]
    found = [_quoting(event, _position_of(event, entries), entries) for event in long]
    quotes = [quote for quote in found if quote is not None]
    called: dict[int, list[Event]] = defaultdict(list)
    for event in old:
        if event.kind == TOOL:
            called[event.data["step"]].append(event)
    return quotes + [quote for step, calls in called.items() for quote in _calls(step, calls, entries)]


def _calls(step: int, calls: Sequence[Event], entries: _Entries) -> list[Event]:
    """Return the calls of one answer, quoting it: all of them or none, because a page of the log reads the answer with
    the first of its calls only.
    """
    found = [_quoting(event, (step, index), entries) for index, event in enumerate(calls, start=1)]
    quotes = [quote for quote in found if quote is not None]
    is_worth_it = any(len(event.kept) > LONG_BYTES for event in calls)
    return quotes if is_worth_it and len(quotes) == len(calls) else []


def _quoting(event: Event, position: tuple[int, int] | None, entries: _Entries) -> Event | None:
    """Return the event, quoting the entry at this position; None if the journal has no such text there."""
    if position is None:
        return None
    step, index = position
    entry = entries.get((step, 0 if event.kind == TOOL else index))
    new = NewEvent.quoting(event.kind, event.data, step, index)
    if entry is None or new.quote is None or not _has(entry, event.kind, index):
        return None
    # The entry may have fields that the older version did not know.
    is_same = new.quote.texts.items() <= quoted_texts(event.kind, index, entry.data).items()
    return replace(event, kept=new.kept, quote=new.quote) if is_same else None


def _has(entry: Entry, kind: str, index: int) -> bool:
    """Whether the entry has the text that such an event would quote."""
    return kind != TOOL or (entry.kind is EntryKind.ANSWER and len(entry.data["calls"]) >= index)


def _position_of(event: Event, entries: _Entries) -> tuple[int, int] | None:
    data = event.data
    if event.kind != TOOL_COMPLETE:
        return next((position for position, entry in entries.items() if entry.id == data["message_id"]), None)
    results = [entry for (step, _), entry in entries.items() if step == data["step"] and entry.kind is EntryKind.RESULT]
    return next(((entry.step, entry.index) for entry in results if entry.data["call_id"] == data["call_id"]), None)
