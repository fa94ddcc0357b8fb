"""The footprint of a transaction: which sessions it has locked, and what its commit will signal."""

import pytest

from wakeful.model.event import Event
from wakeful.store.base import Signal
from wakeful.store.footprint import Footprint


def event(session_id: str, number: int = 1) -> Event:
    return Event(session_id, number, None, None, "token", b"", 0.0)


def test_a_session_is_written_under_its_lock_alone() -> None:
    footprint = Footprint(["s1"])
    footprint.note_locked("s2")

    footprint.require_lock("s1")
    footprint.require_lock("s2")
    with pytest.raises(RuntimeError, match="s3 is written without its lock"):
        footprint.require_lock("s3")
    with pytest.raises(RuntimeError, match="s1"):
        Footprint(()).require_lock("s1")


def test_a_transaction_that_only_reads_leaves_refusing_to_the_database() -> None:
    footprint = Footprint(None)
    footprint.note_locked("s1")

    footprint.require_lock("s1")
    footprint.require_lock("s2")


def test_a_commit_signals_what_has_changed_and_nothing_is_signalled_without_a_change() -> None:
    assert Footprint(["s1"]).signal is None

    footprint = Footprint(["s1"])
    footprint.sessions.add("s1")
    assert footprint.signal == Signal(frozenset({"s1"}))

    footprint = Footprint(["s1"])
    footprint.fenced["t1"] = 2
    assert footprint.signal == Signal(frozenset(), {"t1": 2})

    footprint.note_appended([event("s1"), event("s2")])
    assert footprint.signal == Signal(frozenset({"s1", "s2"}), {"t1": 2}, (event("s1"), event("s2")))


def test_a_group_signals_what_each_of_its_writes_has_changed() -> None:
    group, one, two = Footprint(None), Footprint(["s1"]), Footprint(["s2"])
    one.note_appended([event("s1")])
    two.note_appended([event("s2")])
    two.sessions.add("s3")
    one.fenced["t1"], two.fenced["t2"] = 2, 3

    group.absorb(one)
    group.absorb(two)

    assert group.signal == Signal(frozenset({"s1", "s2", "s3"}), {"t1": 2, "t2": 3}, (event("s1"), event("s2")))
