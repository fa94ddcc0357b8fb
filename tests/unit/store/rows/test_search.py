"""Rows of the search index as hits, and the text that is searched."""

from typing import Any

import pytest

from wakeful.model.search.search import Hit
from wakeful.store.rows.search import doc_text, hits_from

NEWEST = Hit("t2", 1, 2)
MESSAGE = {"turn_id": "t1", "step": 0, "idx": 0, "kind": "input", "payload": b'{"text": "hello"}', "at": 1.0}


def test_a_session_has_its_newest_hit_and_one_in_a_message_goes_before_its_title() -> None:
    pages: list[list[Any]] = [
        [("a", None, None, None), ("b", "t9", 1, 0)],
        [("a", "t2", 1, 2), ("a", "t1", 1, 2), ("b", "t8", 1, 0)],
    ]

    assert hits_from(pages, 9) == {"a": NEWEST, "b": Hit("t9", 1, 0)}


def test_a_title_does_not_replace_a_message() -> None:
    assert hits_from([[("a", "t2", 1, 2), ("a", None, None, None)]], 9) == {"a": NEWEST}


def test_no_more_sessions_are_found_than_asked_for_and_nothing_is_read_after_them() -> None:
    read: list[str] = []

    def rows() -> Any:
        for name in ("a", "a", "b", "c", "d"):
            read.append(name)
            yield name, f"t{len(read)}", 1, 2

    assert list(hits_from([rows()], 2)) == ["a", "b"]
    assert read == ["a", "a", "b", "c"]


def test_the_text_of_a_document_is_its_message_or_the_title_of_its_session() -> None:
    assert doc_text({"turn_id": None, "title": "A title"}) == "A title"
    assert doc_text(MESSAGE | {"title": "A title"}) == "hello"
    assert doc_text({"turn_id": "t1", "kind": None, "title": "A title"}) == ""


@pytest.mark.parametrize("damage", [{"payload": b"\x00"}, {"payload": b"[]"}, {"payload": b"{}"}, {"kind": "odd"}])
def test_a_message_that_cannot_be_read_has_no_text(damage: dict[str, Any]) -> None:
    assert doc_text(MESSAGE | damage) == ""
