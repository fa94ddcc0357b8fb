"""Locks: a session is written only by a transaction that has named it."""

from typing import Any

import pytest

from tests.store.nouns import (
    DONE,
    a_change,
    a_grant,
    a_row,
    a_task,
    a_turn,
    an_approval,
    have_row,
    have_turn,
    some_events,
)
from wakeful.model.approvals.approval import Choice
from wakeful.model.event import Event
from wakeful.model.journal.change import ChangeState
from wakeful.model.older.words import Move
from wakeful.model.opening import Closing, Opening
from wakeful.model.spend import Spend
from wakeful.model.tasks.task import Host, TaskOutcome, TaskStatus
from wakeful.model.turn import Lease, TurnStatus
from wakeful.store.base import Body, Store, Transaction

_LEASE = Lease("t1", "s1", "node1", 1)
_EVENT = Event("s1", 1, "t1", 1, "usage", b"{}", 0.0)
_FREE_WRITES: dict[str, Any] = {
    "adopt task": lambda tx: tx.tasks.adopt(Host("host1", "boot1"), "node2", 0.0, keeper=None),
    "next attempt": lambda tx: tx.tasks.next_attempt_if("k1", 1),
    "save watch": lambda tx: tx.tasks.save_watch("k1", b"{}"),
    "intend kill": lambda tx: tx.tasks.intend_kill_if_running("k1"),
    "grant in a folder": lambda tx: tx.grants.give(a_grant(folder="/srv")),
}
_UNLOCKED_WRITES: dict[str, Any] = {
    "change": lambda tx: tx.sessions.change("s1", title="Another"),
    "wake_later": lambda tx: tx.sessions.wake_later("s1", 1.0),
    "open": lambda tx: tx.open(Opening(a_turn("t2", status=TurnStatus.DONE))),
    "require": lambda tx: tx.turns.require(_LEASE),
    "close": lambda tx: tx.close(Closing(a_turn(), DONE, ())),
    "mark_recorded": lambda tx: tx.turns.mark_recorded("t1"),
    "take_over": lambda tx: tx.turns.take_over_if_running("t1", 1, "node2"),
    "release": lambda tx: tx.turns.release(_LEASE),
    "post": lambda tx: tx.inbox.post_if_new(a_row("m2")),
    "claim": lambda tx: tx.inbox.claim([1], "t1"),
    "withdraw": lambda tx: tx.inbox.withdraw_if_pending("s1", "m1"),
    "append": lambda tx: tx.events.append("s1", None, some_events(1)),
    "add task": lambda tx: tx.tasks.add_if_absent(a_task("k2", index=2)),
    "finish task": lambda tx: tx.tasks.finish_if_running("k1", TaskOutcome(TaskStatus.EXITED, 0, "")),
    "ask": lambda tx: tx.approvals.ask_if_new(an_approval()),
    "answer": lambda tx: tx.approvals.answer_if_open(an_approval(), Choice.ONCE, 0.0),
    "grant in a session": lambda tx: tx.grants.give(a_grant()),
    "give up": lambda tx: tx.approvals.give_up(an_approval()),
    "delete": lambda tx: tx.sessions.delete("s1", 1.0),
    "restore": lambda tx: tx.sessions.restore_if_whole("s1", 1.0),
    "delete if forgotten": lambda tx: tx.sessions.delete_if_forgotten("s1", 1.0),
    "remove some": lambda tx: tx.purges.remove_some("s1", 9),
    "let go": lambda tx: tx.purges.let_go("s1"),
    "remove turns": lambda tx: tx.purges.remove_turns("s1", None, 9),
    "finish purge": lambda tx: tx.purges.finish("s1"),
    "spend": lambda tx: tx.spending.add("s1", Spend()),
    "begin change": lambda tx: tx.changes.begin(a_change()),
    "settle change": lambda tx: tx.changes.settle(a_change(), ChangeState.UNDONE),
    "reserve": lambda tx: tx.turns.reserve(_LEASE, 9),
    "keep prompt": lambda tx: tx.turns.keep_system_prompt("s1", b"{}"),
    "take promises back": lambda tx: tx.tasks.take_promises_back("s1"),
    "tell news": lambda tx: tx.news.add("alice", _EVENT),
    "move old words": lambda tx: tx.old_words.move(Move(_EVENT, None, (1, 2))),
    "take old text": lambda tx: tx.old_words.take_text(_EVENT),
}


async def test_writing_to_a_session_without_its_lock_is_refused(store: Store) -> None:
    await have_turn(store)
    await have_row(store, a_row())
    await store.write(lambda tx: tx.tasks.add_if_absent(a_task()), lock=["s1"])

    accepted = [name for name, write in _UNLOCKED_WRITES.items() if not await _is_refused(store, write)]

    assert accepted == []


async def _is_refused(store: Store, write: Body[object]) -> bool:
    try:
        await store.write(write, lock=["s2"])
    except RuntimeError as error:
        return "s1 is written without its lock" in str(error)
    return False


@pytest.mark.parametrize("name", _FREE_WRITES)
async def test_what_touches_a_task_or_an_owner_alone_needs_no_lock(store: Store, name: str) -> None:
    await have_turn(store)
    await store.write(lambda tx: tx.tasks.add_if_absent(a_task()), lock=["s1"])

    await store.write(_FREE_WRITES[name])


async def test_a_resume_is_taken_back_under_the_lock_of_its_session_and_once(store: Store) -> None:
    await have_turn(store)
    await store.write(lambda tx: tx.turns.take_over_if_running("t1", 1, "node2"), lock=["s1"])

    async def take_back(tx: Transaction) -> None:
        await tx.turns.take_resume_back("t1", "node1", limit=9)

    assert await _is_refused(store, take_back)
    await store.write(take_back, lock=["s1"])
    # Nothing is left that would need the lock.
    await store.write(take_back)
    await store.write(lambda tx: tx.turns.mark_recorded("unknown"))
    assert await store.write(lambda tx: tx.turns.take_over_if_running("unknown", 1, "node2")) is None
