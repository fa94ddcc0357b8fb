"""Events that leave texts to the journal, and give them back."""

from typing import Any

import orjson
import pytest

from wakeful.model.event import Event, NewEvent, Quote, quoted_texts, spoken
from wakeful.model.words import Word, WordsEnd, WordsHead

DATA = {"step": 1, "call_id": "c1", "result": "long", "changes": [], "seconds": 0.5}


def test_a_quoting_event_keeps_no_text_and_reads_as_if_it_did() -> None:
    new = NewEvent.quoting("tool_complete", DATA, 1, 2)

    assert orjson.loads(new.kept) == DATA | {"result": "", "changes": ""}
    assert new.quote == Quote(1, 2, {"result": "long", "changes": []})
    assert orjson.loads(new.payload) == DATA
    event = Event("s1", 7, "t1", 1, new.kind, new.kept, 0.0, quote=new.quote)
    assert event.data == orjson.loads(event.payload) == DATA


def test_an_event_that_quotes_nothing_keeps_its_data() -> None:
    new = NewEvent.of("usage", {"step": 1})

    assert (new.kept, new.payload, new.quote) == (b'{"step":1}', b'{"step":1}', None)


CALLS = [{"id": "c1", "name": "a", "arguments": "{1}"}, {"id": "c2", "name": "b", "arguments": "{2}"}]


@pytest.mark.parametrize(
    ("kind", "index", "entry", "texts"),
    [
        ("message", 0, {"text": "hello"}, {"content": "hello"}),
        (
            "notice",
            0,
            {"text": "done", "notice": {"output": "built", "exit_code": 0}},
            {"content": "done", "output": "built"},
        ),
        ("notice", 0, {"text": "done", "notice": {}}, {"content": "done"}),
        ("tool", 1, {"calls": CALLS}, {"arguments": "{1}"}),
        ("tool", 2, {"calls": CALLS}, {"arguments": "{2}"}),
        ("tool_complete", 1, {"text": "ok"}, {"result": "ok", "changes": []}),
        ("tool_complete", 1, {"text": "ok", "changes": [{}]}, {"result": "ok", "changes": [{}]}),
    ],
)
def test_each_kind_quotes_its_own_texts(kind: str, index: int, entry: dict[str, Any], texts: dict[str, Any]) -> None:
    assert quoted_texts(kind, index, entry) == texts


def test_words_are_spoken_also_where_an_older_version_has_stored_them() -> None:
    stored = Event("s1", 7, "t1", 1, "token", b'{"step": 2, "text": "Hi"}', 0.0)

    assert spoken(stored) == spoken(Word(WordsHead("s1", "t1", 2, 6), 1, "token", "Hi")) == ("token", 2, "Hi")
    assert spoken(Event("s1", 7, "t1", 1, "usage", b'{"step": 2}', 0.0)) is None


def test_the_words_that_end_with_an_event_are_those_of_its_step() -> None:
    ending = Event("s1", 9, "t1", 3, "usage", b"{}", 0.0, ends=WordsEnd(2, base=6, count=2))

    assert ending.words_head == WordsHead("s1", "t1", 2, 6)


@pytest.mark.parametrize(
    ("kind", "is_final"), [("usage", False), ("done", True), ("failed", True), ("cancelled", True)]
)
def test_a_turn_ends_with_one_of_three_events(kind: str, is_final: bool) -> None:
    assert Event("s1", 9, "t1", 3, kind, b"{}", 0.0).is_final == is_final
