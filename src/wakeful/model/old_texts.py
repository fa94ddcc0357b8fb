"""Long texts that an older version has written into events though the journal has them: which entry each can quote."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from wakeful.model.event import QUOTING, TOOL, TOOL_COMPLETE, Event, NewEvent, quoted
from wakeful.model.journal import Entry, EntryKind

# A shorter text costs less where it is than a write.
LONG_BYTES = 1000


def quotes_of(log: Sequence[Event], journal: Iterable[Entry]) -> list[Event]:
    """Of a turn: the events that can quote instead, as they are from now on. To readers they are the same."""
    entries = {(entry.step, entry.index): entry for entry in journal}
    called: Counter[int] = Counter()
    quotes: list[Event] = []
    for event in log:
        if event.kind not in QUOTING or event.quote is not None:
            continue
        if event.kind == TOOL:
            called[event.data["step"]] += 1
        if len(event.kept) > LONG_BYTES and (quote := _quoting(event, entries, called)) is not None:
            quotes.append(replace(event, kept=quote.kept, quote=quote.quote))
    return quotes


def _quoting(event: Event, entries: Mapping[tuple[int, int], Entry], called: Counter[int]) -> NewEvent | None:
    place = _place_of(event, entries, called)
    entry = entries.get((place[0], 0 if event.kind == TOOL else place[1])) if place else None
    if place is None or entry is None:
        return None
    quote = NewEvent.quoting(event.kind, event.data, *place)
    is_same = quote.quote is not None and quote.quote.texts == quoted(event.kind, place[1], entry.data)
    return quote if is_same else None


def _place_of(event: Event, entries: Mapping[tuple[int, int], Entry], called: Counter[int]) -> tuple[int, int] | None:
    data = event.data
    if event.kind == TOOL:
        return data["step"], called[data["step"]]
    if event.kind == TOOL_COMPLETE:
        results = [entry for entry in entries.values() if entry.kind is EntryKind.RESULT and entry.step == data["step"]]
        return next(((entry.step, entry.index) for entry in results if entry.data["call_id"] == data["call_id"]), None)
    return next((place for place, entry in entries.items() if entry.id == data["message_id"]), None)
