"""Rows of the inbox: whose time has come, who waits for them, and what can be read of them."""

from typing import Any

import pytest

from tests.store.nouns import a_row
from wakeful.model.inbox import RowKind

_UNREADABLE = "[What was written here cannot be read.]"


@pytest.mark.parametrize(
    "payload",
    [
        b"{",
        b"\xff",
        b"[]",
        b"{}",
        b'{"text": 7}',
        b'{"inputs": "hello"}',
        b'{"inputs": {"text": "hello"}}',
        b'{"inputs": ["hello"]}',
        b'{"inputs": [{"text": "hello"}, {"text": null}]}',
    ],
)
def test_a_damaged_message_is_read_as_a_request_that_fails(payload: bytes) -> None:
    assert a_row(payload=payload).data == {"text": _UNREADABLE, "attempt": 0, "request": None}


@pytest.mark.parametrize("payload", [b'{"text": ""}', b'{"text": "a", "inputs": []}', b'{"inputs": [{"text": "a"}]}'])
def test_a_message_has_a_text_or_several(payload: bytes) -> None:
    assert "attempt" not in a_row(payload=payload).data


def test_a_retry_needs_no_text_but_the_number_of_its_attempt() -> None:
    assert a_row(kind=RowKind.RETRY, payload=b'{"attempt": 2}').data == {"attempt": 2}
    assert a_row(kind=RowKind.RETRY, payload=b'{"text": "a"}').data["text"] == _UNREADABLE


@pytest.mark.parametrize(
    ("changes", "is_asked"),
    [
        ({}, True),
        ({"source": "cron"}, False),
        ({"source": "webhook"}, False),
        ({"source": "cron", "payload": b'{"text": "a", "by_hand": true}'}, True),
        ({"kind": RowKind.NOTICE, "source": "process_wakeup"}, False),
    ],
)
def test_a_person_waits_for_what_a_person_has_asked(changes: dict[str, Any], is_asked: bool) -> None:
    assert a_row(**changes).is_asked == is_asked


def test_a_row_waits_for_its_time_unless_the_clock_was_set_back() -> None:
    row = a_row(created_at=100.0, not_before=200.0)

    assert [row.is_due(now) for now in (99.0, 150.0, 200.0)] == [True, False, True]
