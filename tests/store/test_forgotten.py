"""Sessions behind deleted responses: they are forgotten when nothing needs them."""

from typing import Any

import pytest

from tests.store.nouns import a_row, a_task, have_closed_turn, have_row, have_session, have_task, have_turn
from wakeful.model.api.conversation import Conversation
from wakeful.store.base import Store


async def test_a_session_is_forgotten_with_the_last_of_its_responses(store: Store) -> None:
    await _have_responses(store, "t1", "t2")
    await _hide(store, "t1")
    assert not await _is_forgotten(store)

    await _hide(store, "t2")

    assert await _is_forgotten(store)
    assert await store.write(lambda tx: tx.sessions.delete_if_forgotten("s1", 5.0), lock=["s1"])
    assert await store.read(lambda tx: tx.sessions.to_purge(5.0)) == ["s1"]
    # Once is enough.
    assert not await _is_forgotten(store)


@pytest.mark.parametrize("changes", [{"is_listed": True}, {"task_id": "k1"}])
async def test_a_session_of_another_kind_is_not(store: Store, changes: dict[str, Any]) -> None:
    await _have_responses(store, "t1", **changes)
    await _hide(store, "t1")

    assert not await _is_forgotten(store)


async def test_a_session_where_something_runs_or_waits_is_not(store: Store) -> None:
    for session_id in ("turn", "task", "row", "talk"):
        await _have_responses(store, f"t_{session_id}", session_id=session_id)
    await have_turn(store, "t2", "turn", is_wakeup=True)
    await have_task(store, a_task("k1", "task"))
    await have_row(store, a_row("m1", "row"))
    talk = Conversation("conv1", "alice", "talk", metadata=b"{}", created_at=1.0)
    await store.write(lambda tx: tx.conversations.create_if_absent(talk))
    for session_id in ("turn", "task", "row", "talk"):
        await _hide(store, f"t_{session_id}", session_id)

    assert await store.read(lambda tx: tx.sessions.forgotten(10)) == []


async def test_a_turn_that_a_notice_has_opened_is_no_response(store: Store) -> None:
    await _have_responses(store, "t1")
    await have_closed_turn(store, "t2", is_wakeup=True)
    await _hide(store, "t1")

    assert await _is_forgotten(store)


async def _have_responses(store: Store, *turn_ids: str, session_id: str = "s1", **changes: Any) -> None:
    await have_session(store, session_id, **({"is_listed": False} | changes))
    for turn_id in turn_ids:
        await have_closed_turn(store, turn_id, session_id)


async def _hide(store: Store, turn_id: str, session_id: str = "s1") -> None:
    await store.write(lambda tx: tx.turns.hide(turn_id), lock=[session_id])


async def _is_forgotten(store: Store) -> bool:
    found = await store.read(lambda tx: tx.sessions.forgotten(10))
    assert found in ([], ["s1"])
    is_deleted = False

    async def undone(tx: Any) -> None:
        nonlocal is_deleted
        is_deleted = await tx.sessions.delete_if_forgotten("s1", 5.0)
        raise LookupError

    with pytest.raises(LookupError):
        await store.write(undone, lock=["s1"])
    assert is_deleted == bool(found)
    return is_deleted
