"""Inbox rows: known by their keys, consumed once."""

import asyncio
from dataclasses import replace

import pytest

from tests.store.conftest import Sql
from tests.store.nouns import a_row, have_row, have_session, needs_lock
from wakeful.errors import StoreError
from wakeful.model.inbox import InboxRow, RowKind, RowStatus
from wakeful.model.session import Address
from wakeful.model.turn import Door
from wakeful.store.base import Store


async def test_a_row_is_read_back_whole(store: Store) -> None:
    row = a_row(
        kind=RowKind.RETRY,
        door=Door("api", async_delivery=False),
        address=Address("api", "c", ""),
        payload=b"\x00\xff{}",
        steers=True,
        is_urgent=True,
        not_before=12.5,
    )

    found = await have_row(store, row)

    assert found == replace(row, id=found.id)


async def test_rows_are_pending_in_the_order_of_arrival(store: Store) -> None:
    for key in ("c", "a", "b"):
        await have_row(store, a_row(key))
    await have_row(store, a_row("elsewhere", "s2"))

    pending = await _pending(store)

    assert [row.dedupe_key for row in pending] == ["c", "a", "b"]
    assert sorted(row.id for row in pending) == [row.id for row in pending]


async def test_a_known_key_is_refused_in_its_session_only(store: Store) -> None:
    await have_row(store, a_row("m1", "s1"))
    await have_session(store, "s2")

    again = await _post(store, a_row("m1", "s1", turn_id="another", payload=b"new"))
    elsewhere = await _post(store, a_row("m1", "s2"))

    assert (again, elsewhere) == (False, True)
    assert [row.payload for row in await _pending(store)] == [a_row().payload]


async def test_a_key_stays_known_when_its_row_is_not_pending_any_more(store: Store) -> None:
    await have_row(store, a_row())
    await store.write(lambda tx: tx.inbox.withdraw_if_pending("s1", "m1"), lock=["s1"])

    assert not await _post(store, a_row(turn_id="another"))


async def test_one_of_many_equal_posts_is_taken(store: Store) -> None:
    await have_session(store)

    posted = await asyncio.gather(*(_post(store, a_row(turn_id=f"t{n}")) for n in range(20)))

    assert sorted(posted) == [False] * 19 + [True]
    assert len(await _pending(store)) == 1


async def test_a_row_needs_its_session(store: Store) -> None:
    with pytest.raises(StoreError):
        await _post(store, a_row("m1", "nowhere"))


async def test_a_row_is_found_by_its_key_and_by_its_turn(store: Store) -> None:
    row = await have_row(store, a_row())

    assert await store.read(lambda tx: tx.inbox.find("s1", "m1")) == row
    assert await store.read(lambda tx: tx.inbox.find("s2", "m1")) is None
    assert await store.read(lambda tx: tx.inbox.find_by_turn(row.turn_id)) == row
    assert await store.read(lambda tx: tx.inbox.find_by_turn("another")) is None


async def test_claimed_rows_belong_to_their_turn_for_good(store: Store) -> None:
    rows = [await have_row(store, a_row(key)) for key in ("a", "b", "c")]
    await _claim(store, rows[:2], "t1")

    await _claim(store, rows, "t2")
    is_withdrawn = await store.write(lambda tx: tx.inbox.withdraw_if_pending("s1", "a"), lock=["s1"])

    found = [await _find(store, key) for key in ("a", "b", "c")]
    assert [row and (row.status, row.claimed_by) for row in found] == [
        (RowStatus.CLAIMED, "t1"),
        (RowStatus.CLAIMED, "t1"),
        (RowStatus.CLAIMED, "t2"),
    ]
    assert not is_withdrawn
    assert await _pending(store) == []


async def test_the_text_of_a_row_goes_when_a_turn_has_taken_it_or_its_sender_has_taken_it_back(store: Store) -> None:
    rows = [await have_row(store, a_row(key)) for key in ("m1", "m2", "m3")]
    await _claim(store, rows[:1], "t1")
    await store.write(lambda tx: tx.inbox.withdraw_if_pending("s1", "m2"), lock=["s1"])

    found = [await _find(store, key) for key in ("m1", "m2", "m3")]
    assert [row and row.payload for row in found] == [b"{}", b"{}", rows[2].payload]
    # The same message again is still known.
    assert not await _post(store, a_row("m1"))


async def test_the_texts_that_an_older_version_has_left_go_in_steps(store: Store, kind: str, sql: Sql) -> None:
    rows = [await have_row(store, a_row(f"m{number}")) for number in range(5)]
    await _claim(store, rows[:4], "t1")
    await sql(f"UPDATE inbox SET payload = {'CAST(source AS BLOB)' if kind == 'sqlite' else 'source::bytea'}")
    await sql("INSERT INTO upkeep (name, position) VALUES ('inbox_payloads', '0')")

    steps = [await store.write(lambda tx: tx.inbox.empty_taken(2)) for _ in range(5)]

    assert steps == [2, 2, 1, 0, 0]
    assert [bytes(row[0]) for row in await sql("SELECT payload FROM inbox ORDER BY id")] == [b"{}"] * 4 + [b"user"]


async def test_claiming_nothing_changes_nothing(store: Store) -> None:
    row = await have_row(store, a_row())

    await _claim(store, [], "t1")

    assert await _pending(store) == [row]


async def test_a_pending_row_is_withdrawn_once(store: Store) -> None:
    row = await have_row(store, a_row())

    withdrawn = [await store.write(lambda tx: tx.inbox.withdraw_if_pending("s1", "m1"), lock=["s1"]) for _ in range(2)]
    await _claim(store, [row], "t1")

    found = await _find(store, "m1")
    assert withdrawn == [True, False]
    assert found == replace(row, status=RowStatus.WITHDRAWN, payload=b"{}")


async def _post(store: Store, row: InboxRow) -> bool:
    return await store.write(lambda tx: tx.inbox.post_if_new(row), lock=[row.session_id])


async def _find(store: Store, dedupe_key: str) -> InboxRow | None:
    return await store.read(lambda tx: tx.inbox.find("s1", dedupe_key))


async def _claim(store: Store, rows: list[InboxRow], turn_id: str) -> None:
    await store.write(lambda tx: tx.inbox.claim([row.id for row in rows], turn_id), lock=["s1"])


async def _pending(store: Store, session_id: str = "s1") -> list[InboxRow]:
    return await store.read(lambda tx: tx.inbox.pending(session_id))


async def test_a_row_is_posted_claimed_and_withdrawn_only_under_the_lock_of_its_session(store: Store) -> None:
    row = await have_row(store, a_row())

    assert await needs_lock(store, lambda tx: tx.inbox.post_if_new(a_row("m2")))
    assert await needs_lock(store, lambda tx: tx.inbox.claim([row.id], "t1"))
    assert await needs_lock(store, lambda tx: tx.inbox.withdraw_if_pending("s1", "m1"))
    assert await store.read(lambda tx: tx.inbox.pending("s1")) == [row]
