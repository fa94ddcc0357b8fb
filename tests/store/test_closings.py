"""Closings: the last answer, the end and what follows go in whole, once, and only of a turn that is still ours."""

from dataclasses import replace

import pytest

from tests.store.conftest import FakeClock
from tests.store.nouns import (
    DONE,
    a_row,
    a_turn,
    an_input,
    close_turn,
    have_session,
    have_turn,
    lane_of,
    some_events,
)
from wakeful.errors import LeaseLost
from wakeful.model.inbox import RowKind
from wakeful.model.opening import Closing, Opening
from wakeful.model.spend import Spend
from wakeful.model.turn import Outcome, TurnStatus
from wakeful.store.base import Store


async def test_a_closing_records_the_last_answer_the_end_and_what_follows(store: Store, clock: FakeClock) -> None:
    await have_turn(store)
    turn = (await lane_of(store)).active
    assert turn is not None
    retry = a_row("r1", kind=RowKind.RETRY, created_at=0.0)
    following = Opening(a_turn("t2", parent="t1", last_seq=1), facts=tuple(some_events(1)), posted=(a_row("m2"),))
    closing = Closing(
        turn,
        DONE,
        tuple(some_events(2, "done")),
        (an_input("t1", "the answer"),),
        Spend(7, 3, 0.5),
        checkpoint="t1",
        is_blocked=True,
        posted=(retry,),
        next=following,
    )

    closed = await store.write(lambda tx: tx.close(closing), lock=["s1"])

    lane = await lane_of(store)
    session = lane.session
    assert (session.head, session.checkpoint, session.active, session.is_blocked) == ("t1", "t1", "t2", True)
    assert (session.message_count, session.closed_seq, session.last_seq) == (1, 2, 3)
    assert (session.input_tokens, session.output_tokens, session.context_tokens) == (7, 3, 7)
    assert [(row.dedupe_key, row.created_at) for row in lane.pending] == [("r1", clock.now)]
    assert [event.turn_seq for event in closed.events] == [1, 2]
    assert closed.next is not None
    assert [event.session_seq for event in closed.next.events] == [3]
    ended = await store.read(lambda tx: tx.turns.get("t1"))
    assert ended is not None
    assert (ended.status, ended.epoch, ended.closed_at, ended.last_seq) == (TurnStatus.DONE, 2, clock.now, 2)


@pytest.mark.parametrize("how", ["closed", "taken over", "never opened"])
async def test_a_turn_that_is_no_longer_ours_is_not_closed(store: Store, how: str) -> None:
    await have_session(store)
    if how != "never opened":
        await have_turn(store)
    if how == "closed":
        await close_turn(store, "t1")
    if how == "taken over":
        await store.write(lambda tx: tx.turns.take_over_if_running("t1", 1, "node2"), lock=["s1"])
    before = await lane_of(store)
    late = Closing(a_turn(), DONE, tuple(some_events(1)), (an_input("t1", "x"),), posted=(a_row(),))

    with pytest.raises(LeaseLost):
        await store.write(lambda tx: tx.close(late), lock=["s1"])

    assert await lane_of(store) == before


async def test_what_a_closing_brings_can_be_read_with_its_time(store: Store, clock: FakeClock) -> None:
    await have_turn(store)
    await store.write(lambda tx: tx.events.append("s1", "t1", some_events(3)), lock=["s1"])
    answer = an_input("t1", "the answer")

    closed = await close_turn(
        store,
        "t1",
        entries=(answer,),
        facts=tuple(some_events(2, "done")),
        posted=(a_row("r1"), a_row("r2", created_at=0.0)),
    )

    log = await store.read(lambda tx: tx.events.of_session("s1", 3, 9))
    assert log == list(closed.events)
    assert [(e.kind, e.session_seq, e.turn_id, e.turn_seq, e.at) for e in log] == [
        ("done", 4, "t1", 4, clock.now),
        ("done", 5, "t1", 5, clock.now),
    ]
    assert await store.read(lambda tx: tx.journal.of_turns(["t1"])) == [replace(answer, at=clock.now)]
    rows = await store.read(lambda tx: tx.inbox.pending("s1"))
    assert [(row.dedupe_key, row.created_at) for row in rows] == [("r1", 30.0), ("r2", clock.now)]


@pytest.mark.parametrize("cost", [None, Spend(), Spend(7, 3, 0.5, 2)])
async def test_an_answer_counts_for_its_session_and_day_and_a_turn_without_one_does_not(
    store: Store, cost: Spend | None
) -> None:
    await have_turn(store)
    await store.write(lambda tx: tx.spending.add("s1", Spend(10, 10, 1.0, 10), context_tokens=10), lock=["s1"])

    await close_turn(store, "t1", cost=cost)

    session = (await lane_of(store)).session
    more = cost or Spend()
    assert (session.input_tokens, session.output_tokens) == (10 + more.input_tokens, 10 + more.output_tokens)
    assert (session.cost_usd, session.unpriced_tokens) == (1.0 + more.usd, 10 + more.unpriced_tokens)
    assert session.context_tokens == (10 if cost is None else cost.input_tokens)
    (day,) = (await store.read(lambda tx: tx.spending.since(0, "alice"))).values()
    assert day == Spend(session.input_tokens, session.output_tokens, session.cost_usd, session.unpriced_tokens)


@pytest.mark.parametrize(
    "outcome", [DONE, Outcome(TurnStatus.FAILED, "odd", "It broke."), Outcome(TurnStatus.CANCELLED)]
)
async def test_a_session_is_free_and_as_the_closing_says(store: Store, outcome: Outcome) -> None:
    await have_turn(store)
    await have_turn(store, "t9", "s9")

    await close_turn(store, "t1", outcome, checkpoint="t1", is_held=True)

    session, ended = (await lane_of(store)).session, await store.read(lambda tx: tx.turns.get("t1"))
    assert (session.active, session.head, session.checkpoint) == (None, "t1", "t1")
    assert (session.is_held, session.is_blocked) == (True, False)
    assert ended is not None
    assert ended.status is outcome.status
    assert (ended.error is None) == (outcome.code == "")
    other = await store.read(lambda tx: tx.lane("s9", wake_budget=1))
    assert other is not None
    assert other.session.active == "t9"


async def test_a_session_has_as_many_messages_as_its_turns_have_entries(store: Store) -> None:
    await have_turn(store)
    await store.write(lambda tx: tx.journal.add([an_input("t1", "a", 0), an_input("t1", "b", 1)]))
    await close_turn(store, "t1", entries=(an_input("t1", "c", 2),))
    assert (await lane_of(store)).session.message_count == 3

    await have_turn(store, "t2", parent="t1")
    await store.write(lambda tx: tx.journal.add([an_input("t2", "d", 0)]))
    await close_turn(store, "t2")
    assert (await lane_of(store)).session.message_count == 4
