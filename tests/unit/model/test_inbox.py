"""Rows of the inbox: whose time has come, who waits for them, and what can be read of them."""

from typing import Any

import pytest

from tests.store.nouns import DOOR, a_row
from wakeful.model.inbox import InboxRow, RowKind, joining_rows, next_batch
from wakeful.model.session import Address
from wakeful.model.turn import COMPACTION, Door

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


NOW = 100.0
ELSEWHERE = Address("web", "elsewhere")
NO_LATER = Door("api", async_delivery=False)


def notice(name: str, **changes: Any) -> InboxRow:
    return a_row(name, kind=RowKind.NOTICE, **changes)


def retry(name: str, **changes: Any) -> InboxRow:
    return a_row(name, kind=RowKind.RETRY, **changes)


def remark(name: str) -> InboxRow:
    return a_row(name, kind=RowKind.REMARK)


def names(rows: Any) -> str:
    return " ".join(row.dedupe_key for row in rows)


@pytest.mark.parametrize(
    ("pending", "taken"),
    [
        pytest.param([a_row("a"), a_row("b")], "a", id="the oldest message"),
        pytest.param([a_row("a"), a_row("b", steers=True)], "b", id="one that was to steer"),
        pytest.param([a_row("a", steers=True), a_row("b", is_urgent=True)], "b", id="an urgent one before it"),
        pytest.param([a_row("a"), notice("n"), remark("r")], "n r a", id="notices and remarks come with it"),
        pytest.param([a_row("a"), retry("r", not_before=NOW + 1)], "r a", id="a retry even before its time"),
        pytest.param([a_row("a"), notice("n", address=ELSEWHERE)], "a", id="no notice of another address"),
        pytest.param([a_row("a", door=NO_LATER), notice("n")], "a", id="none at a door that delivers nothing later"),
        pytest.param([a_row("a", source=COMPACTION), remark("r")], "a", id="a summary takes no remark"),
        pytest.param([notice("n"), retry("r", not_before=NOW + 1)], "n", id="a retry alone waits for its time"),
        pytest.param([retry("r", not_before=NOW), notice("n", not_before=NOW + 9)], "r n", id="company waits no more"),
        pytest.param([notice("n"), notice("o", address=ELSEWHERE), notice("p")], "n p", id="one address at a time"),
    ],
)
def test_one_turn_takes_what_belongs_together(pending: list[InboxRow], taken: str) -> None:
    batch = next_batch(pending, NOW, notices_wait=False)

    assert batch is not None
    assert names(batch.rows) == taken
    assert batch.first == (batch.message or batch.notices[0])
    assert batch.is_wakeup == all(row.kind is not RowKind.MESSAGE for row in pending)


@pytest.mark.parametrize(
    "pending", [[], [remark("r")], [notice("n", not_before=NOW + 1)], [retry("r", not_before=NOW + 1)]]
)
def test_nothing_opens_a_turn_before_its_time(pending: list[InboxRow]) -> None:
    assert next_batch(pending, NOW, notices_wait=False) is None


def test_notices_that_have_to_wait_come_with_a_message_only() -> None:
    assert next_batch([notice("n")], NOW, notices_wait=True) is None
    batch = next_batch([notice("n"), a_row("a")], NOW, notices_wait=True)
    assert batch is not None
    assert names(batch.rows) == "n a"


def test_a_running_turn_takes_its_notices_and_what_steers_it() -> None:
    pending = [
        a_row("a"), a_row("s", steers=True), remark("m"), notice("n"), notice("o", address=ELSEWHERE), retry("r"),
    ]  # fmt: skip

    assert names(joining_rows(pending, DOOR, pending[0].address)) == "n m s"
    assert names(joining_rows(pending, NO_LATER, pending[0].address)) == "m s"
    assert names(joining_rows([remark("m"), notice("n")], DOOR, pending[0].address)) == "n"


def test_a_new_row_waits_for_nothing_and_goes_before_nobody() -> None:
    row = a_row()

    assert (row.is_due(0.0), row.is_asked) == (True, True)
    assert (row.steers, row.is_urgent) == (False, False)
