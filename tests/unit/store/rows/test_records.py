"""Rows of the journal and of the log as entries, chains, events and words."""

from typing import Any

import orjson
import pytest

from wakeful.model.event import NewEvent, Quote
from wakeful.model.journal.entry import Chain, Entry, EntryKind
from wakeful.model.words import TOKEN, Word, WordsEnd, WordsHead, pack_cuts
from wakeful.store.rows.records import chain_from, events_from, fact_values, words_from

HEAD = WordsHead("s1", "t1", 1, 5)
ANSWER = orjson.dumps({"calls": [{"arguments": "one"}, {"arguments": "two"}], "text": "", "reasoning": ""})


def a_chain_row(turn_id: str, depth: int, kind: str | None = "input") -> dict[str, Any]:
    place = {"turn_id": turn_id, "step": 0, "idx": 0} if kind else {"turn_id": None, "step": None, "idx": None}
    where = {"revision": "7", "base": f"before {turn_id}", "last": turn_id, "depth": depth}
    return where | place | {"kind": kind, "payload": b"{}", "at": 2.0}


def an_event_row(number: int, **changes: Any) -> dict[str, Any]:
    row = {
        "session_id": "s1",
        "session_seq": number,
        "turn_id": "t1",
        "turn_seq": number + 10,
        "kind": "tool",
        "payload": b"{}",
        "at": 2.0,
        "ends": None,
        "step": None,
        "idx": None,
        "entry": None,
    }
    return row | changes


def test_a_chain_without_rows_is_empty() -> None:
    assert chain_from([]) == Chain("", None, [])


def test_a_chain_begins_after_its_first_base_and_leaves_out_turns_without_entries() -> None:
    rows = [a_chain_row("t1", 2), a_chain_row("t2", 1, kind=None), a_chain_row("t3", 0)]

    chain = chain_from(rows)

    assert (chain.revision, chain.base, chain.last) == ("7", "before t1", None)
    assert chain.entries == [Entry(turn, 0, 0, EntryKind.INPUT, b"{}", 2.0) for turn in ("t1", "t3")]


def test_a_chain_that_ends_before_the_turn_that_was_asked_for_says_where() -> None:
    assert chain_from([a_chain_row("t1", 3), a_chain_row("t2", 2, kind=None)]).last == "t2"


def test_calls_of_one_answer_quote_what_the_first_of_them_has_brought() -> None:
    rows = [
        an_event_row(1, step=1, idx=1, entry=ANSWER),
        an_event_row(2, step=1, idx=2),
        an_event_row(3, step=2, idx=1),
        an_event_row(4, turn_id="t2", step=1, idx=1),
    ]

    quotes = [event.quote for event in events_from(rows)]

    assert quotes == [
        Quote(1, 1, {"arguments": "one"}),
        Quote(1, 2, {"arguments": "two"}),
        Quote(2, 1, {}),
        Quote(1, 1, {}),
    ]


def test_other_events_quote_an_entry_of_their_own() -> None:
    rows = [
        an_event_row(1, kind="tool", step=1, idx=1, entry=ANSWER),
        an_event_row(2, kind="tool_complete", step=1, idx=1, entry=b'{"text": "done"}'),
        an_event_row(3, kind="tool_complete", step=1, idx=2),
    ]

    quotes = [event.quote for event in events_from(rows)]

    assert quotes[1:] == [Quote(1, 1, {"result": "done", "changes": []}), Quote(1, 2, {})]


def test_an_event_is_read_as_it_was_written() -> None:
    ends = WordsEnd(1, 5, 3)
    kind, payload, packed, step, index = fact_values(NewEvent("usage", b"[]", ends))

    (event,) = events_from([an_event_row(1, kind=kind, payload=payload, ends=packed, step=step, idx=index)])

    assert (event.kind, event.kept, event.ends, event.quote) == ("usage", b"[]", ends, None)
    assert (event.session_seq, event.turn_seq, event.at) == (1, 11, 2.0)


@pytest.mark.parametrize("row", [None, {"cuts": None, "payload": b""}, {"cuts": b"", "payload": b""}])
def test_an_answer_without_pieces_has_no_words(row: dict[str, Any] | None) -> None:
    assert words_from(row, HEAD, 0, 9) == []


def test_words_are_read_from_a_number_on_and_as_many_as_asked_for() -> None:
    payload = orjson.dumps({"text": "abc", "reasoning": "x"})
    row = {"cuts": pack_cuts((1, -1, 1, 1)), "payload": payload}

    assert [word.text for word in words_from(row, HEAD, 0, 9)] == ["a", "x", "b", "c"]
    assert words_from(row, HEAD, 2, 1) == [Word(HEAD, 3, TOKEN, "b")]
