"""Long texts that an older version has written into events though the journal has them: which entry each can quote."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from wakeful.model.event import QUOTING, TOOL, TOOL_COMPLETE, Event, NewEvent, quoted_texts
from wakeful.model.journal.entry import Entry, EntryKind

# A shorter text costs less where it is than a write.
LONG_BYTES = 1000

# By step and index.
_Entries = Mapping[tuple[int, int], Entry]


def quotes_of(log: Sequence[Event], journal: Iterable[Entry]) -> list[Event]:
    """Of a turn: the events that can quote instead, as they are from now on. To readers they are the same."""
    entries = {(entry.step, entry.index): entry for entry in journal}
    old = [event for event in log if event.kind in QUOTING and event.quote is None]
    long = [event for event in old if event.kind != TOOL and len(event.kept) > LONG_BYTES]
    found = [_quoting(event, _place_of(event, entries), entries) for event in long]
    quotes = [quote for quote in found if quote is not None]
    called: dict[int, list[Event]] = defaultdict(list)
    for event in old:
        if event.kind == TOOL:
            called[event.data["step"]].append(event)
    return quotes + [quote for step, calls in called.items() for quote in _calls(step, calls, entries)]


def _calls(step: int, calls: Sequence[Event], entries: _Entries) -> list[Event]:
    """A page of the log reads an answer with the first of its calls: all of them quote it, or none does."""
    found = [_quoting(event, (step, index), entries) for index, event in enumerate(calls, start=1)]
    quotes = [quote for quote in found if quote is not None]
    is_worth_it = any(len(event.kept) > LONG_BYTES for event in calls)
    return quotes if is_worth_it and len(quotes) == len(calls) else []


def _quoting(event: Event, place: tuple[int, int] | None, entries: _Entries) -> Event | None:
    """None where the journal has nothing at this place, or something else."""
    if place is None:
        return None
    step, index = place
    entry = entries.get((step, 0 if event.kind == TOOL else index))
    new = NewEvent.quoting(event.kind, event.data, step, index)
    if entry is None or new.quote is None or not _has(entry, event.kind, index):
        return None
    is_same = new.quote.texts == quoted_texts(event.kind, index, entry.data)
    return replace(event, kept=new.kept, quote=new.quote) if is_same else None


def _has(entry: Entry, kind: str, index: int) -> bool:
    """Whether there is something to quote in it."""
    return kind != TOOL or (entry.kind is EntryKind.ANSWER and len(entry.data["calls"]) >= index)


def _place_of(event: Event, entries: _Entries) -> tuple[int, int] | None:
    data = event.data
    if event.kind != TOOL_COMPLETE:
        return next((place for place, entry in entries.items() if entry.id == data["message_id"]), None)
    results = [entry for (step, _), entry in entries.items() if step == data["step"] and entry.kind is EntryKind.RESULT]
    return next(((entry.step, entry.index) for entry in results if entry.data["call_id"] == data["call_id"]), None)
