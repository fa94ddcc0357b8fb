"""Several nodes on one database: they notify each other, wait for each other, and never deadlock."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Coroutine
from typing import Any

import pytest

from tests.patience import PATIENCE
from tests.postgres_server import PostgresServer
from tests.store.admin import Admin
from tests.store.nouns import (
    a_row,
    a_session,
    a_task,
    close_turn,
    have_closed_turn,
    have_row,
    have_session,
    have_task,
    have_turn,
    some_events,
)
from wakeful.errors import StoreError, StoreUnavailable
from wakeful.model.api.conversation import IdempotencyKey
from wakeful.model.event import Event
from wakeful.model.inbox import InboxRow
from wakeful.model.schedules.cron_job import CronJob
from wakeful.model.tasks.task import Host
from wakeful.model.turn import Outcome, Turn, TurnStatus
from wakeful.store.base import Body, Signal, Store, Transaction
from wakeful.store.postgres import notifier
from wakeful.store.postgres.connection import ServerAddress
from wakeful.store.postgres.outbox import Outbox
from wakeful.store.postgres.store import PostgresStore

EVERYTHING = Signal(frozenset(), is_everything=True)


class Node:
    """A store and the signals that it has received."""

    def __init__(self, url: str) -> None:
        self.store = PostgresStore(url)
        self.signals: asyncio.Queue[Signal] = asyncio.Queue()
        self.store.notifier.listen(self.signals.put_nowait)


@pytest.fixture
async def one(postgres_url: str) -> AsyncIterator[Node]:
    # The server breaks a deadlock after this time.
    node = Node(f"{postgres_url}&deadlock_timeout=100ms")
    await node.store.open()
    yield node
    await node.store.close()


@pytest.fixture
async def two(postgres_url: str) -> AsyncIterator[Node]:
    node = Node(f"{postgres_url}&deadlock_timeout=100ms")
    await node.store.open()
    yield node
    await node.store.close()


async def test_another_node_hears_where_to_look_and_who_must_stop(one: Node, two: Node) -> None:
    await have_turn(one.store)

    await one.store.write(lambda tx: tx.events.append("s1", "t1", some_events(3)), lock=["s1"])
    await close_turn(one.store, "t1", Outcome(TurnStatus.CANCELLED), facts=some_events(1, "cancelled"))

    assert await two.signals.get() == Signal(frozenset({"s1"}))
    assert await two.signals.get() == Signal(frozenset({"s1"}), {"t1": 2})


async def test_a_node_hears_its_own_commits_once_and_with_their_events(one: Node, two: Node) -> None:
    await have_turn(one.store)

    await one.store.write(lambda tx: tx.events.append("s1", "t1", some_events(1)), lock=["s1"])
    await have_session(two.store, "s2")
    await two.store.write(lambda tx: tx.inbox.post_if_new(a_row(session_id="s2")), lock=["s2"])

    own, others = await one.signals.get(), await one.signals.get()
    assert [event.session_seq for event in own.events] == [1]
    # Notifications come in the order of the commits: its own would have come before this one.
    assert others == Signal(frozenset({"s2"}))
    assert one.signals.empty()


async def test_names_with_quotes_and_other_letters_are_signalled_unchanged(one: Node, two: Node) -> None:
    name = 'it\'s \\ "漢字"'
    await have_session(one.store, name)

    await one.store.write(lambda tx: tx.events.append(name, None, some_events(1)), lock=[name])

    assert await two.signals.get() == Signal(frozenset({name}))


async def test_what_is_too_much_for_one_notification_comes_in_several(one: Node, two: Node) -> None:
    names = {f"{number:03}" + "x" * 97 for number in range(200)}
    await _happens_in(one.store, names)

    heard: set[str] = set()
    while heard != names:
        signal = await two.signals.get()
        assert not signal.is_everything
        heard |= signal.sessions


async def test_a_name_that_fits_into_no_notification_becomes_look_everywhere(one: Node, two: Node) -> None:
    await _happens_in(one.store, {"x" * 8_000})

    assert await two.signals.get() == EVERYTHING


async def test_what_a_lost_notification_would_have_said_is_found_out_once(
    one: Node, admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notifier, "_POLL_SECONDS", 0.01)
    followed = {"s1", "s2"}
    await _happens_in(one.store, followed | {"s3"})
    one.store.notifier.watch(lambda: followed)
    assert (await one.signals.get()).events

    await admin.execute("UPDATE sessions SET last_seq = last_seq + 1 WHERE id <> 's2'")

    assert await one.signals.get() == Signal(frozenset({"s1"}))
    await admin.execute("UPDATE sessions SET last_seq = last_seq + 1 WHERE id = 's2'")
    assert await one.signals.get() == Signal(frozenset({"s2"}))


async def test_a_session_that_is_followed_from_now_on_may_have_moved_just_before(
    one: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notifier, "_POLL_SECONDS", 0.01)
    await have_session(one.store)
    one.store.notifier.watch(lambda: {"s1"})

    assert await one.signals.get() == Signal(frozenset({"s1"}))


async def test_schemas_of_one_database_do_not_hear_each_other(
    bare_postgres_url: str, postgres_server: PostgresServer
) -> None:
    one, two, stranger = (Node(url) for url in (bare_postgres_url, bare_postgres_url, postgres_server.create_schema()))
    for node in (one, two, stranger):
        await node.store.open()

    await have_turn(stranger.store, "t9", "s9")
    await stranger.store.write(lambda tx: tx.events.append("s9", None, some_events(1)), lock=["s9"])
    await have_session(one.store)
    await one.store.write(lambda tx: tx.events.append("s1", None, some_events(1)), lock=["s1"])

    assert await two.signals.get() == Signal(frozenset({"s1"}))
    for node in (one, two, stranger):
        await node.store.close()


async def test_a_broken_line_is_mended_and_everything_looked_at(one: Node, two: Node, admin: Admin) -> None:
    await have_session(one.store)

    await admin.end_listening()

    assert await two.signals.get() == EVERYTHING
    await one.store.write(lambda tx: tx.events.append("s1", None, some_events(1)), lock=["s1"])
    assert await two.signals.get() == Signal(frozenset({"s1"}))


async def test_a_line_that_has_died_in_silence_is_found_out_and_mended(
    postgres_url: str, admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notifier, "_CHECK_SECONDS", 0.02)
    monkeypatch.setattr(notifier, "STATEMENT_SECONDS", 0.5)
    node = Node(postgres_url)
    await node.store.open()
    await have_session(node.store)
    listening = await admin.fetchval(
        "SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN %' OR query = 'SELECT 1'"
    )

    os.kill(listening, signal.SIGSTOP)
    try:
        assert await node.signals.get() == EVERYTHING
    finally:
        os.kill(listening, signal.SIGCONT)
    await node.store.close()


async def test_a_line_that_nobody_can_listen_on_is_not_left_open(postgres_url: str, admin: Admin) -> None:
    line = notifier.PostgresNotifier(ServerAddress(postgres_url, "wakeful line"))

    with pytest.raises(StoreError, match="identifier"):
        await line.open(channel="")

    async with asyncio.timeout(PATIENCE):
        while await admin.fetchval("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'wakeful line'"):
            pass


async def test_a_server_that_is_away_is_asked_again_soon_and_then_every_few_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    async def connect() -> Any:
        if len(pauses) < 8:
            raise StoreUnavailable("away")

    monkeypatch.setattr(asyncio, "sleep", sleep)

    await notifier._connect_with_retries(connect)

    assert pauses == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]


async def test_a_line_is_mended_when_the_server_comes_back(
    one: Node, two: Node, postgres_server: PostgresServer
) -> None:
    postgres_server.restart()

    assert await one.signals.get() == EVERYTHING
    assert await two.signals.get() == EVERYTHING
    await have_session(one.store)
    await one.store.write(lambda tx: tx.events.append("s1", None, some_events(1)), lock=["s1"])
    assert await two.signals.get() == Signal(frozenset({"s1"}))


async def test_nodes_that_start_at_once_do_not_collide(bare_postgres_url: str) -> None:
    stores = [PostgresStore(bare_postgres_url) for _ in range(5)]

    await asyncio.gather(*(store.open() for store in stores))

    async with Admin(bare_postgres_url) as admin:
        assert await admin.fetchval("SELECT count(*) = max(version) FROM wakeful_schema")
    for store in stores:
        await store.close()


async def test_a_turn_is_taken_over_by_one_of_two_nodes_and_counted_once(one: Node, two: Node) -> None:
    await have_turn(one.store)

    def take_over(node: Node, name: str) -> Coroutine[Any, Any, Turn | None]:
        return node.store.write(lambda tx: tx.turns.take_over_if_running("t1", 1, name), lock=["s1"])

    taken = await asyncio.gather(take_over(one, "one"), take_over(two, "two"))

    turn = await one.store.read(lambda tx: tx.turns.get("t1"))
    assert turn is not None
    assert [winner.node for winner in taken if winner] == [turn.node]
    assert (turn.epoch, turn.resumes) == (2, 1)


async def test_a_task_that_another_node_is_just_writing_is_left_for_the_next_adoption(one: Node, two: Node) -> None:
    await have_task(one.store, a_task("k1", index=1))
    await have_task(one.store, a_task("k2", index=2))

    async def adopt() -> list[str]:
        tasks = await two.store.write(lambda tx: tx.tasks.adopt(Host("host1", "boot1"), "two", 100.0, keeper=None))
        return [task.id for task in tasks]

    async def body(tx: Transaction) -> list[str]:
        await tx.tasks.save_watch("k1", b"{}")
        return await adopt()

    assert await one.store.write(body) == ["k2"]
    await two.store.write(lambda tx: tx.nodes.renew("two", 200.0, host="host1"))
    assert await adopt() == ["k1"]


async def test_writes_of_two_nodes_leave_no_gap(one: Node, two: Node) -> None:
    leases = [await have_turn(one.store, f"t{number}", f"s{number}") for number in range(4)]

    def record(store: Store, session_id: str) -> asyncio.Future[object]:
        writing = store.write(lambda tx: tx.events.append(session_id, None, some_events(1)), lock=[session_id])
        return asyncio.ensure_future(writing)

    await asyncio.gather(
        *(record(node.store, lease.session_id) for _ in range(10) for lease in leases for node in (one, two)),
    )

    for lease in leases:
        log = await _log(one.store, lease.session_id)
        assert [event.session_seq for event in log] == list(range(1, 21))


async def test_a_row_posted_while_a_close_waits_for_the_lock_is_seen_by_the_close(
    one: Node, two: Node, admin: Admin
) -> None:
    """A close that read the rows as they were before its wait would leave the new row pending for ever."""
    await have_turn(one.store)
    close_waits = asyncio.Event()

    async def post(tx: Transaction) -> None:
        await tx.inbox.post_if_new(a_row())
        await asyncio.wait_for(close_waits.wait(), 20)

    async def close(tx: Transaction) -> list[InboxRow]:
        lane = await tx.lane("s1", wake_budget=1)
        assert lane is not None
        return list(lane.pending)

    posting = await _begun(one.store, post)
    closing = asyncio.ensure_future(two.store.write(close, lock=["s1"]))
    await admin.until_waiting(1)
    close_waits.set()
    await posting

    assert [row.dedupe_key for row in await closing] == ["m1"]


async def test_a_caller_that_finds_a_session_created_meanwhile_holds_its_lock(
    one: Node, two: Node, admin: Admin
) -> None:
    is_created, second_waits = asyncio.Event(), asyncio.Event()

    async def create_slowly(tx: Transaction) -> None:
        await tx.sessions.create_if_absent(a_session())
        is_created.set()
        await asyncio.wait_for(second_waits.wait(), 20)

    async def create_again(tx: Transaction) -> tuple[bool, int]:
        is_new = await tx.sessions.create_if_absent(a_session())
        # No other transaction gets this row now.
        free = await admin.fetchval("SELECT count(*) FROM (SELECT 1 FROM sessions FOR UPDATE SKIP LOCKED) s")
        return is_new, free

    creating = asyncio.ensure_future(one.store.write(create_slowly))
    await is_created.wait()
    again = asyncio.ensure_future(two.store.write(create_again, lock=["s1"]))
    await admin.until_waiting(1)
    second_waits.set()
    await creating

    assert await again == (False, 0)


async def test_sessions_are_locked_in_the_order_of_their_ids_or_nodes_would_wait_in_a_circle(
    one: Node, admin: Admin
) -> None:
    # The rows lie in the other order.
    for name in ("z", "y", "a"):
        await have_session(one.store, name)
    await admin.execute("BEGIN", "SELECT 1 FROM sessions WHERE id = 'a' FOR UPDATE")

    async def touch(tx: Transaction) -> None:
        await tx.events.append("z", None, some_events(1))

    locking = asyncio.create_task(one.store.write(touch, lock=["z", "y", "a"]))
    await admin.until_waiting(1)

    # While it waits for the first, it holds none of the others.
    await admin.execute("SELECT 1 FROM sessions WHERE id IN ('y', 'z') FOR UPDATE NOWAIT", "COMMIT")
    await locking


async def test_nodes_index_at_the_same_time_without_waiting_for_each_other(one: Node, admin: Admin) -> None:
    for name in ("s1", "s2"):
        await have_session(one.store, name, title=name)
    await admin.execute("BEGIN", "SELECT 1 FROM search_docs WHERE session_id = 's1' FOR UPDATE")

    async with asyncio.timeout(PATIENCE):
        await one.store.write(lambda tx: tx.search.index_some(10))

    indexed = "SELECT session_id FROM search_docs WHERE words IS NOT NULL"
    assert [row["session_id"] for row in await admin.fetch(indexed)] == ["s2"]


UPKEEP: dict[str, tuple[str, Body[object], object]] = {
    "keys": ("idempotency_keys", lambda tx: tx.idempotency_keys.drop_old(100.0, 10), 0),
    "rows": ("upkeep", lambda tx: tx.inbox.empty_taken(10), 0),
    "search": ("upkeep", lambda tx: tx.search.index_some(10), False),
}


@pytest.mark.parametrize("what", UPKEEP)
async def test_what_another_node_is_tidying_is_left_to_it(postgres_url: str, admin: Admin, what: str) -> None:
    store = PostgresStore(f"{postgres_url}&lock_timeout=500ms")
    await store.open()
    await have_closed_turn(store)
    await have_row(store, a_row())
    while await store.write(lambda tx: tx.search.index_some(10)):
        pass
    await store.write(lambda tx: tx.idempotency_keys.reserve(IdempotencyKey("alice", "k", "body", "t1", 12.5)))
    await admin.execute(
        "UPDATE turns SET closed_at = 50.0",
        "INSERT INTO upkeep (name, position) VALUES ('inbox_payloads', '0'), ('search_titles', '')",
    )
    table, tidy, nothing = UPKEEP[what]
    await admin.execute("BEGIN", f"SELECT 1 FROM {table} FOR UPDATE")

    assert await store.write(tidy) == nothing

    await admin.execute("COMMIT")
    assert await store.write(tidy) != nothing
    await store.close()


@pytest.mark.parametrize("what", ["job", "door"])
async def test_whoever_acts_on_a_row_waits_for_its_change(one: Node, admin: Admin, what: str) -> None:
    job = CronJob("j1", "alice", "", "@daily", "UTC", "Good morning")
    await one.store.write(lambda tx: tx.cron_jobs.create(job))
    await one.store.write(lambda tx: tx.platform_doors.hold("slack", "node1"))

    async def see(tx: Transaction) -> object:
        if what == "job":
            return await tx.cron_jobs.lock("j1")
        return await tx.platform_doors.is_held_by("slack", "node1") or None

    await admin.execute("BEGIN", "DELETE FROM cron_jobs", "UPDATE platform_doors SET node = 'node2'")
    seeing = asyncio.create_task(one.store.write(see))
    await admin.until_waiting(1)
    await admin.execute("COMMIT")

    assert await seeing is None


def test_of_two_signals_the_newer_number_is_sent() -> None:
    outbox = Outbox("one")
    for number in (5, 3):
        outbox.add(Signal(frozenset({"s1"}), events=(Event("s1", number, None, None, "token", b"", 0.0),)))

    assert outbox._letter.sessions == {"s1": 5}


async def _happens_in(store: Store, names: set[str]) -> None:
    async def body(tx: Transaction) -> None:
        for name in sorted(names):
            await tx.sessions.create_if_absent(a_session(name))
            await tx.events.append(name, None, some_events(1))

    await store.write(body)


async def _log(store: Store, session_id: str) -> list[Event]:
    return await store.read(lambda tx: tx.events.of_session(session_id, 0, 1000))


async def _begun(store: Store, work: Body[None]) -> asyncio.Future[None]:
    """Start a write that holds the lock of an existing session."""
    has_lock = asyncio.Event()

    async def body(tx: Transaction) -> None:
        has_lock.set()
        await work(tx)

    writing = asyncio.ensure_future(store.write(body, lock=["s1"]))
    await has_lock.wait()
    return writing
