"""Which events of an older version can quote the journal instead of repeating it."""

from dataclasses import replace

from tests.store.nouns import long_texts
from wakeful.model.event import Event, NewEvent
from wakeful.model.journal.entry import Entry
from wakeful.model.older.texts import LONG_BYTES, quotes_of


def whole(events: list[NewEvent]) -> list[Event]:
    """Return the log of a turn in which every event repeats its texts."""
    return [Event("s1", number, "t1", number, new.kind, new.payload, 0.0) for number, new in enumerate(events, start=1)]


def changed(entries: list[Entry], at: int, **data: str) -> list[Entry]:
    replaced = replace(entries[at], payload=NewEvent.of("", entries[at].data | data).kept)
    return [*entries[:at], replaced, *entries[at + 1 :]]


def numbers(quotes: list[Event]) -> list[int]:
    return sorted(event.turn_seq or 0 for event in quotes)


def test_long_texts_that_the_journal_has_are_quoted_and_read_the_same() -> None:
    entries, events = long_texts("t1")
    log = whole(events)

    quotes = quotes_of(log, entries)

    # A short call is quoted with the long one of its answer.
    assert numbers(quotes) == [1, 2, 3, 4, 5]
    for quote in quotes:
        (old,) = [event for event in log if event.turn_seq == quote.turn_seq]
        assert quote.data == old.data
        assert quote.quote is not None
    assert {len(quote.kept) < 300 for quote in quotes} == {True}


def test_what_quotes_already_stays() -> None:
    entries, events = long_texts("t1")
    log = whole(events)
    quoting = {event.turn_seq: event for event in quotes_of(log, entries)}

    assert quotes_of([quoting[event.turn_seq] for event in log], entries) == []


def test_a_text_that_the_journal_has_otherwise_or_not_at_all_stays() -> None:
    entries, events = long_texts("t1")
    log = whole(events)

    assert numbers(quotes_of(log, changed(entries, 0, text="other"))) == [2, 3, 4, 5]
    assert numbers(quotes_of(log, [entry for entry in entries if entry.step == 0])) == [1, 2]
    # The entry may know more than the older version has told.
    assert numbers(quotes_of(log, changed(entries, 0, mood="fine"))) == [1, 2, 3, 4, 5]


def test_calls_of_which_none_is_long_stay() -> None:
    entries, events = long_texts("t1")
    calls = [event for event in whole(events) if event.kind == "tool"]

    assert numbers(quotes_of(calls, entries)) == [3, 4]
    assert quotes_of(calls[:1], entries) == []
    assert len(calls[0].kept) < LONG_BYTES
