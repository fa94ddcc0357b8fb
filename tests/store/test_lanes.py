"""Lanes: a session with everything that decides about its next turn."""

from tests.store.conftest import FakeClock
from tests.store.nouns import a_row, a_task, close_turn, have_row, have_session, have_task, have_turn, lane_of
from wakeful.model.inbox import RowStatus
from wakeful.model.tasks.task import TaskOutcome, TaskStatus
from wakeful.store.base import Store


async def test_a_lane_shows_all_that_a_decision_asks_for(store: Store, clock: FakeClock) -> None:
    for number, opened_at in enumerate([clock.now - 3_600, clock.now - 200, clock.now - 100, clock.now]):
        await have_turn(store, f"t{number}", is_wakeup=number != 2, opened_at=opened_at)
        await close_turn(store, f"t{number}")
    rows = [await have_row(store, a_row(name)) for name in ("m1", "m2", "gone", "went before", "went after")]
    for name in ("went before", "gone", "went after"):
        await store.write(lambda tx, name=name: tx.inbox.withdraw_if_pending("s1", name), lock=["s1"])  # type: ignore[misc]
    for number in (1, 2, 3):
        await have_task(store, a_task(f"k{number}", index=number, will_notify=number != 2))
    await store.write(lambda tx: tx.tasks.intend_kill_if_running("k3"))

    lane = await lane_of(store, wake_budget=2, key="gone")

    assert lane.pending == tuple(rows[:2])
    assert lane.known is not None
    assert (lane.known.id, lane.known.status) == (rows[2].id, RowStatus.WITHDRAWN)
    assert (lane.promised, lane.active, lane.now) == (frozenset({"k1"}), None, clock.now)
    # Only the wake-ups of the last hour count: this is the older of two.
    assert lane.spent_at == clock.now - 200
    assert (await lane_of(store, wake_budget=3)).spent_at is None
    assert (await lane_of(store, key="m2")).known == rows[1]
    assert await store.read(lambda tx: tx.lane("missing", wake_budget=1)) is None


async def test_a_lane_of_a_running_session_has_its_turn_and_one_without_rows_has_none(store: Store) -> None:
    await have_session(store)
    idle = await lane_of(store, key="m1")
    assert (idle.active, idle.pending, idle.known, idle.promised, idle.spent_at) == (None, (), None, frozenset(), None)

    await have_turn(store)
    await have_turn(store, "t9", "s9")
    running = await lane_of(store)
    assert running.active == await store.read(lambda tx: tx.turns.get("t1"))
    assert running.session.active == "t1"


async def test_a_lane_knows_nothing_of_what_belongs_to_another_session(store: Store, clock: FakeClock) -> None:
    await have_session(store)
    await have_turn(store, "t9", "s9", is_wakeup=True, opened_at=clock.now)
    for name in ("m1", "m2"):
        await have_row(store, a_row(name, "s9"))
    await store.write(lambda tx: tx.inbox.withdraw_if_pending("s9", "m1"), lock=["s9"])
    await have_task(store, a_task("k9", "s9"))

    lane = await lane_of(store, wake_budget=1, key="m1")

    assert (lane.active, lane.pending, lane.known, lane.promised, lane.spent_at) == (None, (), None, frozenset(), None)


async def test_wake_ups_of_the_future_and_tasks_that_have_ended_do_not_count(store: Store, clock: FakeClock) -> None:
    await have_turn(store, "t1", is_wakeup=True, opened_at=clock.now + 1)
    await have_task(store, a_task("k1"))
    outcome = TaskOutcome(TaskStatus.EXITED, 0, "")
    await store.write(lambda tx: tx.tasks.finish_if_running("k1", outcome), lock=["s1"])

    lane = await lane_of(store, wake_budget=1)

    assert (lane.spent_at, lane.promised) == (None, frozenset())
