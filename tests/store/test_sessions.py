"""Sessions, and which of them are ready for a turn."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from tests.store.nouns import a_row, a_session, an_input, close_turn, have_row, have_session, have_turn, needs_lock
from wakeful.model.inbox import RowKind
from wakeful.model.session import Session, TitleOrigin, WakeReason
from wakeful.store.base import Store

NOTICE = a_row("notice", kind=RowKind.NOTICE)
CRON = a_row("cron", source="cron")


async def test_a_session_is_read_back_whole(store: Store) -> None:
    session = a_session(head="t0", checkpoint="t0", workspace="/home", title="A talk", task_id="k1")

    is_new = await store.write(lambda tx: tx.sessions.create_if_absent(session))

    assert is_new
    assert await _session(store) == session


async def test_an_existing_session_is_left_as_it_is(store: Store) -> None:
    session = await have_session(store)

    is_new = await store.write(lambda tx: tx.sessions.create_if_absent(a_session(owner="bob")))

    assert not is_new
    assert await _session(store) == session


async def test_a_session_is_created_once_when_many_try(store: Store) -> None:
    created = await asyncio.gather(
        *(store.write(lambda tx: tx.sessions.create_if_absent(a_session())) for _ in range(20))
    )

    assert sorted(created) == [False] * 19 + [True]


async def test_an_unknown_session_is_none(store: Store) -> None:
    assert await store.read(lambda tx: tx.sessions.get("missing")) is None


async def test_closing_counts_what_the_turn_has_recorded(store: Store) -> None:
    for turn_id, count in (("t1", 3), ("t2", 2)):
        await have_turn(store, turn_id)
        await _record(store, turn_id, count)
        await close_turn(store, turn_id)

    assert (await _session(store)).message_count == 5


@pytest.mark.parametrize(
    ("changes", "title", "model", "is_blocked"),
    [
        ({"title": "New"}, "New", "demo:model", True),
        ({"model": "other:model"}, "Old", "other:model", False),
        ({"model": "demo:model", "title": ""}, "", "demo:model", True),
        ({}, "Old", "demo:model", True),
    ],
)
async def test_a_change_leaves_what_it_does_not_name_and_another_model_ends_the_block(
    store: Store, changes: dict[str, str], title: str, model: str, is_blocked: bool
) -> None:
    await have_session(store, title="Old")
    await _given(store, is_blocked=True)

    await store.write(lambda tx: tx.sessions.change("s1", **changes), lock=["s1"])

    session = await _session(store)
    assert (session.title, session.model, session.is_blocked) == (title, model, is_blocked)


async def test_a_wait_is_set_and_taken_back(store: Store) -> None:
    await have_session(store)

    await store.write(lambda tx: tx.sessions.wake_later("s1", 77.5), lock=["s1"])
    waiting = await _session(store)
    await store.write(lambda tx: tx.sessions.wake_later("s1", None), lock=["s1"])

    assert waiting.wake_at == 77.5
    assert (await _session(store)).wake_at is None


@pytest.mark.parametrize(
    ("state", "row", "is_ready", "due"),
    [
        ({}, a_row(), True, None),
        ({"active": "t9"}, a_row(), False, None),
        ({"is_held": True}, a_row(), True, None),
        ({"is_blocked": True}, a_row(), True, None),
        ({"wake_at": 200.0}, a_row(), True, None),
        ({}, NOTICE, True, None),
        ({"active": "t9"}, NOTICE, False, None),
        ({"is_held": True}, NOTICE, False, None),
        ({"is_blocked": True}, NOTICE, False, None),
        ({"wake_at": 100.0}, NOTICE, True, None),
        ({"wake_at": 200.0}, NOTICE, False, 200.0),
        ({"wake_at": 200.0, "is_held": True}, NOTICE, False, None),
        ({"wake_at": 200.0, "is_blocked": True}, NOTICE, False, None),
        ({"wake_at": 200.0, "active": "t9"}, NOTICE, False, None),
        ({"wake_at": 200.0, "reason": WakeReason.SPEND}, a_row(), True, None),
        ({"wake_at": 200.0, "reason": WakeReason.SPEND}, NOTICE, False, 200.0),
        ({"wake_at": 200.0, "reason": WakeReason.SPEND}, CRON, False, 200.0),
        ({"wake_at": 200.0, "reason": WakeReason.SPEND}, replace(CRON, source="webhook"), False, 200.0),
        ({"wake_at": 200.0, "reason": WakeReason.SPEND, "is_held": True}, CRON, False, 200.0),
        ({"wake_at": 100.0, "reason": WakeReason.SPEND}, CRON, True, None),
        ({"wake_at": None, "reason": WakeReason.SPEND}, CRON, True, None),
        ({"wake_at": 200.0}, CRON, True, None),
        ({"wake_at": 9_000.0, "reason": WakeReason.SPEND}, NOTICE, False, 9_000.0),
        ({"wake_at": 9_000.0}, NOTICE, True, None),
        ({"wake_at": 90_000.0, "reason": WakeReason.SPEND}, CRON, True, None),
        ({}, replace(NOTICE, not_before=100.0), True, None),
        ({}, replace(NOTICE, not_before=150.0), False, 150.0),
        ({"wake_at": 200.0}, replace(NOTICE, not_before=150.0), False, 200.0),
        ({"wake_at": 150.0}, replace(NOTICE, not_before=200.0, kind=RowKind.RETRY), False, 200.0),
    ],
)
async def test_a_session_is_ready_when_a_row_may_open_a_turn(
    store: Store, state: dict[str, Any], row: Any, is_ready: bool, due: float | None
) -> None:
    await _given(store, **state)
    await have_row(store, row)

    assert await store.read(lambda tx: tx.sessions.ready(100.0)) == (["s1"] if is_ready else [])
    assert await store.read(lambda tx: tx.sessions.next_due(100.0)) == due


async def test_rows_that_are_not_pending_make_nothing_ready(store: Store) -> None:
    claimed = await have_row(store, a_row("claimed"))
    await have_row(store, a_row("withdrawn"))
    await store.write(lambda tx: tx.inbox.claim([claimed.id], "t1"), lock=["s1"])
    await store.write(lambda tx: tx.inbox.withdraw_if_pending("s1", "withdrawn"), lock=["s1"])

    assert await store.read(lambda tx: tx.sessions.ready(100.0)) == []
    assert await store.read(lambda tx: tx.sessions.next_due(0.0)) is None


async def test_ready_names_each_session_once_and_next_due_is_the_earliest(store: Store) -> None:
    for session_id in ("s2", "s1"):
        await have_row(store, a_row("one", session_id))
        await have_row(store, a_row("two", session_id))
    await have_row(store, a_row("late", "s3", kind=RowKind.NOTICE, not_before=300.0))
    await have_row(store, a_row("soon", "s4", kind=RowKind.NOTICE, not_before=200.0))

    assert await store.read(lambda tx: tx.sessions.ready(100.0)) == ["s1", "s2"]
    assert await store.read(lambda tx: tx.sessions.next_due(100.0)) == 200.0


async def test_ready_since_is_the_time_of_the_longest_ready_row(store: Store) -> None:
    assert await store.read(lambda tx: tx.sessions.ready_since(100.0)) is None
    await have_row(store, a_row("late", kind=RowKind.NOTICE, created_at=10.0, not_before=300.0))
    assert await store.read(lambda tx: tx.sessions.ready_since(100.0)) is None
    await have_row(store, a_row("due", "s2", kind=RowKind.NOTICE, created_at=20.0, not_before=90.0))
    assert await store.read(lambda tx: tx.sessions.ready_since(100.0)) == 90.0
    await have_row(store, a_row("said", "s3", created_at=80.0))
    assert await store.read(lambda tx: tx.sessions.ready_since(100.0)) == 80.0


async def test_what_was_written_in_the_future_does_not_wait_for_it(store: Store) -> None:
    await have_row(store, a_row("retry", kind=RowKind.RETRY, created_at=7_000.0, not_before=7_005.0))
    assert await store.read(lambda tx: tx.sessions.ready(100.0)) == ["s1"]
    assert await store.read(lambda tx: tx.sessions.next_due(100.0)) is None


async def _session(store: Store, session_id: str = "s1") -> Session:
    session = await store.read(lambda tx: tx.sessions.get(session_id))
    assert session is not None
    return session


async def _record(store: Store, turn_id: str, count: int) -> None:
    entries = [an_input(turn_id, "words", index) for index in range(count)]
    await store.write(lambda tx: tx.journal.add(entries), lock=["s1"])


async def _given(
    store: Store,
    *,
    active: str | None = None,
    is_held: bool = False,
    is_blocked: bool = False,
    wake_at: float | None = None,
    reason: WakeReason = WakeReason.BUDGET,
) -> None:
    await have_turn(store, "t0")
    await close_turn(store, "t0", is_held=is_held, is_blocked=is_blocked)
    if active is not None:
        await have_turn(store, active)
    await store.write(lambda tx: tx.sessions.wake_later("s1", wake_at, reason), lock=["s1"])


async def test_a_session_is_changed_only_under_its_lock(store: Store) -> None:
    session = await have_session(store)

    assert await needs_lock(store, lambda tx: tx.sessions.change("s1", title="Another"))
    assert await needs_lock(store, lambda tx: tx.sessions.name("s1", "Another", TitleOrigin.MODEL))
    assert await needs_lock(store, lambda tx: tx.sessions.wake_later("s1", 1.0))
    assert await needs_lock(store, lambda tx: tx.sessions.delete("s1", 1.0))
    assert await store.read(lambda tx: tx.sessions.get("s1")) == session
