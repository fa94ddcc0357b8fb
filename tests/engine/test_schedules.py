"""Random schedules over the whole engine: messages, exits, stops, crashes, lost leases, several nodes.

The rules of docs/architecture.md hold after every step; and when every failure is over and time has passed, every
accepted message has been handled, once.
"""

import asyncio
import shutil
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Awaitable
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import asyncpg
import orjson
import pytest
from hypothesis import HealthCheck, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from tests.engine.kit import (
    ASK,
    HOME,
    WEB,
    FakeClock,
    House,
    Node,
    begin_task,
    exit_of,
    open_session,
    send,
)
from tests.ready_database import ReadyDatabase, put_sqlite_file
from wakeful.engine.inbox.submission import Receipt
from wakeful.engine.settings import EngineSettings
from wakeful.engine.turns import history
from wakeful.errors import LeaseLost, NotQueued, SessionBusy, TooManyDelegations
from wakeful.model.event import FINAL_KINDS, STEP_ABANDONED, Event, StreamItem
from wakeful.model.inbox import IfBusy
from wakeful.model.session import Address
from wakeful.model.tasks.goal import Goal
from wakeful.model.words import Position, Word
from wakeful.store.base import Store
from wakeful.store.postgres.store import PostgresStore
from wakeful.store.sqlite.store import SqliteStore

SETTINGS = EngineSettings(stop_grace_seconds=0.0, wake_budget_per_hour=4)
ELSEWHERE = Address("telegram", "42")
HOW_OFTEN = {
    "send": 6,
    "lead a turn": 9,
    "begin a task": 5,
    "end a task": 5,
    "send again": 1,
    "kill a task": 1,
    "delegate": 3,
    "stop a delegation": 1,
    "stop a sub-agent": 1,
    "stop": 1,
    "withdraw": 1,
    "open a session": 1,
    "start a node": 2,
    "kill a node": 1,
    "light a fuse": 2,
    "stop a node": 1,
    "put a node to sleep": 1,
    "wake a node": 1,
    "let time pass": 3,
}
ACTIONS = [action for action, weight in HOW_OFTEN.items() for _ in range(weight)]
# What an action needs; where that is missing, a message is sent instead.
NEEDS = {
    "lead a turn": "running",
    "begin a task": "running",
    "end a task": "tasks",
    "kill a task": "tasks",
    "delegate": "running",
    "stop a delegation": "delegations",
    "stop a sub-agent": "delegations",
    "send again": "receipts",
    "withdraw": "receipts",
}
RACERS = ["send", "end", "stop", "lead", "lead", "steer"]

pick = st.integers(0, 999)
modes = st.sampled_from([IfBusy.QUEUE, IfBusy.QUEUE, IfBusy.STEER, IfBusy.INTERRUPT, IfBusy.REJECT])
orders = st.sampled_from(["token", "token", "step", "step", "finish", "finish", "fail", "break"])


class Follower:
    """A reader of a session that changes nodes and goes on from its last position."""

    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        self.seen: list[Event] = []
        # The words that each fact has ended, by the fact's number.
        self.said: dict[int, list[Word]] = {}
        self._position = Position()
        self._words: list[Word] = []
        self._job: asyncio.Task[None] | None = None
        self._node: Node | None = None

    async def attach(self, node: Node) -> None:
        if node is not self._node:
            await self.detach()
            self._node = node
            self._job = asyncio.create_task(self._follow(node))

    async def detach(self) -> None:
        if self._job is not None:
            self._job.cancel()
            await asyncio.gather(self._job, return_exceptions=True)
        self._job = self._node = None

    def check(self) -> None:
        """Raise the reader's failed assertion, if there is one."""
        if self._job is not None and self._job.done() and not self._job.cancelled():
            self._job.result()

    async def _follow(self, node: Node) -> None:
        async with aclosing(node.engine.subscribe(self.session_id, self._position)) as pages:
            async for page in pages:
                for item in page:
                    self._read(item)

    def _read(self, item: StreamItem) -> None:
        if isinstance(item, Word):
            assert item.head.base <= self._position.fact, "words come after their base"
            if self._words and self._words[-1].head.base != item.head.base:
                raise AssertionError("words end in a fact")
            self._words.append(item)
            assert item.number == len(self._words), "no word is missed or doubled"
            assert len({word.text for word in self._words}) == 1, "who lost a turn says nothing more in it"
            self._position = Position(self._position.fact, item.head.base, item.number)
        elif item.turn_seq is None and item.kind == STEP_ABANDONED:
            self._words = []
        else:
            self._pass(item)

    def _pass(self, fact: Event) -> None:
        self.seen.append(fact)
        if fact.ends is None:
            self._position = replace(self._position, fact=fact.session_seq)
            return
        assert all(word.head == fact.words_head or fact.ends.void for word in self._words), "the right words"
        self.said[fact.session_seq] = self._words
        self._words, self._position = [], Position(fact.session_seq)


class Schedules(RuleBasedStateMachine):
    """The parts that do not depend on the store."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.clock = FakeClock()
        self.house: House
        self.followers: dict[str, Follower] = {}
        self.receipts: list[Receipt] = []
        self.withdrawn: set[str] = set()
        self.tasks: dict[str, str] = {}
        # The sub-agents' sessions, by their delegations.
        self.delegations: dict[str, str] = {}
        self.calls = 1_000_000
        self.claims: dict[int, str] = {}
        self.runs: Counter[tuple[str, int, int]] = Counter()
        self.has_stopped_one = False

    # What a store provides.

    async def open_store(self) -> Store:
        raise NotImplementedError

    async def close_store(self) -> None:
        raise NotImplementedError

    async def fetch(self, query: str) -> list[Any]:
        raise NotImplementedError

    async def set_store_time(self, now: float) -> None: ...

    # What happens.

    @initialize()
    def move_in(self) -> None:
        self._do(self._move_in())

    async def _move_in(self) -> None:
        store = await self.open_store()
        self.house = House(store, self.clock, SETTINGS, self.set_store_time)
        await self.house.start_node()
        await self._open_session()

    @rule(what=st.sampled_from(ACTIONS), which=pick, mode=modes, orders=st.lists(orders, min_size=1, max_size=3))
    def let_something_happen(self, what: str, which: int, mode: IfBusy, orders: list[str]) -> None:
        """Do one of nearly all actions. With a rule for each, nodes would be killed far more often than turns led.

        There is no precondition, because what is drawn must not depend on which thread was quicker.
        """
        if not self.house.nodes:
            what = "start a node"
        elif not getattr(self, NEEDS.get(what, "followers"), None):
            what = "send"
        self._do(self._act(what, which, mode, orders))

    @rule(which=pick, racers=st.lists(st.sampled_from(RACERS), min_size=2, max_size=4))
    def let_things_race(self, which: int, racers: list[str]) -> None:
        if self.house.nodes:
            self._do(self._race(which, racers))

    async def _act(self, what: str, which: int, mode: IfBusy, orders: list[str]) -> None:
        match what:
            case "start a node" if len(self.house.nodes) < 3:
                await self.house.start_node()
            case "open a session" if len(self.followers) < 3:
                await self._open_session()
            case "send":
                await self._send(which, mode, ASK if which % 4 == 0 else WEB)
            case "send again":
                await self._send_again(which)
            case "lead a turn":
                node, turn_id = self._chosen(self.running, which)
                node.agent.order(turn_id, *orders)
            case "begin a task":
                await self._begin_task(which, will_notify=which % 5 > 0, address=HOME if which % 3 else ELSEWHERE)
            case "end a task":
                await self._end_task(which, code=which % 2)
            case "kill a task":
                await self._kill_task(which)
            case "delegate":
                await self._delegate(which, is_inline=which % 3 == 0)
            case "stop a delegation":
                delegation = self._chosen(self.delegations, which)
                await self._attempt(self._node(which).engine.delegations.stop(delegation))
            case "stop a sub-agent":
                child = self._chosen(self.delegations.values(), which)
                await self._attempt(self._node(which).engine.cancel(child))
            case "stop":
                await self._attempt(self._node(which).engine.cancel(self._session(which)))
            case "withdraw":
                await self._withdraw(which)
            case "kill a node":
                await self._kill(self._node(which))
            case "light a fuse":
                # The node dies in the middle of one of its next calls to the store.
                self._node(which).store.fuse = 1 + which % 6
            case "stop a node":
                await self._stop(self._node(which))
            case "put a node to sleep":
                self._node(which).fall_asleep()
            case "wake a node":
                self._node(which).wake_up()
            case "let time pass":
                await self.house.advance((1.0, 3.0, 6.0, 40.0, 3600.0)[which % 5])

    # What always holds.

    @invariant()
    def the_rules_hold(self) -> None:
        if hasattr(self, "house"):
            self.loop.run_until_complete(self._check())

    def teardown(self) -> None:
        try:
            if hasattr(self, "house"):
                self._do(self._heal())
                self._do(self._check_all_is_settled())
        finally:
            self._do(self._move_out())
            self.loop.run_until_complete(self.loop.shutdown_default_executor())
            self.loop.close()

    async def _check(self) -> None:
        running = await self.fetch("SELECT id, session_id FROM turns WHERE status = 'running'")
        active = await self.fetch("SELECT active, id FROM sessions WHERE active IS NOT NULL")
        assert sorted(map(tuple, running)) == sorted(map(tuple, active)), "one active turn a session"
        for row_id, turn_id in await self.fetch("SELECT id, claimed_by FROM inbox WHERE claimed_by IS NOT NULL"):
            assert self.claims.setdefault(row_id, turn_id) == turn_id, "a row is consumed by exactly one turn"
        if not self.has_stopped_one:
            assert not await self._lost_rows(), "nothing falls between two turns"
        assert all(count == 1 for count in self._all_runs().values()), "no call runs twice"
        newest = dict(map(tuple, await self.fetch("SELECT id, last_seq FROM sessions")))
        for follower in self.followers.values():
            follower.check()
            numbers = [event.session_seq for event in follower.seen]
            assert numbers == list(range(1, len(numbers) + 1)), "no gap and no double"
            assert len(numbers) <= newest[follower.session_id], "durable before visible"

    async def _lost_rows(self) -> list[Any]:
        """Return the rows that wait in an idle session without a reason: no stop by the user, no spent budget, no wait
        for company. A goal may wait for the node that watches its delegation.
        """
        return await self.fetch(
            f"""SELECT i.id FROM sessions s JOIN inbox i ON i.session_id = s.id AND i.status = 'pending'
                LEFT JOIN turns head ON head.id = s.head
                WHERE s.active IS NULL AND (i.kind = 'message' AND i.source <> 'delegation' OR (
                    i.kind = 'notice' AND i.not_before = 0 AND head.status <> 'cancelled'
                    AND coalesce(s.wake_at, 0) <= {self.clock.now}))"""
        )

    async def _check_all_is_settled(self) -> None:
        assert not await self.fetch("SELECT id FROM turns WHERE status = 'running'")
        assert not await self.fetch("SELECT id FROM inbox WHERE status = 'pending'")
        await self._check_log()
        rows = {row[0]: row for row in await self.fetch("SELECT turn_id, status, claimed_by FROM inbox")}
        for receipt in self.receipts:
            _, status, claimed_by = rows[receipt.turn_id]
            assert status == ("withdrawn" if receipt.turn_id in self.withdrawn else "claimed")
            assert (claimed_by is None) == (receipt.turn_id in self.withdrawn)
        await self._check_promises()
        assert not await self.fetch("SELECT id FROM tasks WHERE kind = 'delegation' AND status = 'running'")
        ends = await self.fetch("SELECT payload FROM events WHERE kind = 'process_complete'")
        ended = await self.fetch("SELECT id FROM tasks WHERE status <> 'running'")
        announced = Counter(orjson.loads(row[0])["process_id"] for row in ends)
        assert announced == Counter(row[0] for row in ended), "each end is announced once"

    async def _check_promises(self) -> None:
        """Check that each promise is kept once. Tasks that a sub-agent left running may end without a notice, but only
        when its delegation is over.
        """
        posted = Counter(row[0] for row in await self.fetch("SELECT dedupe_key FROM inbox WHERE kind = 'notice'"))
        promised = await self.fetch(
            """SELECT t.id, d.id IS NULL OR t.ended_at < d.ended_at
               FROM tasks t JOIN sessions s ON s.id = t.session_id LEFT JOIN tasks d ON d.id = s.task_id
               WHERE t.status <> 'running' AND t.will_notify AND NOT t.kill_intended"""
        )
        kept = {f"task:{task_id}" for task_id, is_due in promised if is_due}
        assert kept <= posted.keys() <= {f"task:{row[0]}" for row in promised}, "promises are kept"
        assert all(count == 1 for count in posted.values()), "each promise is kept once"

    async def _check_log(self) -> None:
        log = await self.fetch(
            """SELECT session_id, session_seq, turn_id, turn_seq, kind, payload FROM events
               ORDER BY session_id, session_seq"""
        )
        turns: dict[str, list[str]] = {}
        for _, _, turn_id, turn_seq, kind, _ in log:
            if turn_id is not None:
                turns.setdefault(turn_id, []).append(kind)
                assert turn_seq == len(turns[turn_id]), "a turn's numbers have no gap"
        assert {receipt.turn_id for receipt in self.receipts} <= turns.keys(), "every stream that was given out ends"
        for kinds in turns.values():
            assert [kind in FINAL_KINDS for kind in kinds] == [False] * (len(kinds) - 1) + [True], "one end, and last"
        for follower in self.followers.values():
            stored = [tuple(row) for row in log if row[0] == follower.session_id]
            seen = [(e.session_id, e.session_seq, e.turn_id, e.turn_seq, e.kind, e.kept) for e in follower.seen]
            assert seen == stored, "what was seen is what is stored"
            await self._check_words(follower)

    async def _check_words(self, follower: Follower) -> None:
        """Check that a late reader gets the words that a live reader got. The live one may have seen more only where
        the fact counts them as void, because the node that had them is gone.
        """
        late = Follower(follower.session_id)
        await late.attach(self.house.nodes[-1])
        await self.house.settle()
        late.check()
        await late.detach()
        assert late.seen == follower.seen
        for fact in late.seen:
            if fact.ends is not None:
                kept, shown = late.said[fact.session_seq], follower.said[fact.session_seq]
                assert len(kept) == fact.ends.count
                assert shown[: len(kept)] == kept
                assert len(shown) - len(kept) <= fact.ends.void, "what was shown is kept"

    # How it is done.

    def _do(self, work: Awaitable[Any]) -> None:
        async def and_settle() -> None:
            async with asyncio.timeout(30):
                await work
                if hasattr(self, "house"):
                    await self._bury_the_dead()
                    await self.house.settle()
                    await self._bury_the_dead()

        self.loop.run_until_complete(and_settle())

    def _chosen(self, things: Any, which: int) -> Any:
        options = list(things)
        return options[which % len(options)]

    def _node(self, which: int) -> Node:
        node: Node = self._chosen(self.house.nodes, which)
        return node

    def _session(self, which: int) -> str:
        session: str = self._chosen(self.followers, which // 7)
        return session

    @property
    def running(self) -> list[tuple[Node, str]]:
        return [(node, turn_id) for node in self.house.nodes for turn_id in node.engine._runners._running]

    def _all_runs(self) -> Counter[tuple[str, int, int]]:
        return sum((node.agent.runs for node in self.house.nodes), self.runs)

    async def _attempt(self, work: Awaitable[Any], *expected: type[Exception]) -> Any:
        """Make a call and return its result, unless its node dies meanwhile and it never returns."""
        call = asyncio.ensure_future(work)
        await asyncio.sleep(0)
        await self.house.settle()
        if not call.done():
            call.cancel()
        await asyncio.wait([call])
        if call.cancelled() or isinstance(call.exception(), expected):
            return None
        return call.result()

    async def _open_session(self) -> None:
        node = self.house.nodes[0]
        session = await self._attempt(open_session(node))
        if session is not None:
            self.followers[session] = Follower(session)
            await self.followers[session].attach(node)

    async def _send(self, which: int, mode: IfBusy, door: Any) -> None:
        key = f"m{len(self.receipts)}-{which}"
        address = HOME if which % 3 else ELSEWHERE
        call = send(self._node(which), self._session(which), key, door=door, address=address, if_busy=mode, key=key)
        receipt = await self._attempt(call, SessionBusy)
        if receipt is not None:
            self.receipts.append(receipt)

    async def _send_again(self, which: int) -> None:
        known = self._chosen(self.receipts, which)
        rows = await self.fetch(f"SELECT dedupe_key FROM inbox WHERE turn_id = '{known.turn_id}'")
        key = rows[0][0].removeprefix("message:")
        again = await self._attempt(send(self._node(which), known.session_id, "other words", key=key))
        assert again is None or again.turn_id == known.turn_id

    async def _begin_task(self, which: int, will_notify: bool, address: Address) -> None:
        node, turn_id = self._chosen(self.running, which)
        if turn_id not in node.agent.briefs:
            return
        brief = node.agent.briefs[turn_id]
        name = f"t{len(self.tasks)}-{which}"
        receipt = Receipt(brief.turn.session_id, turn_id, is_queued=False)
        await self._attempt(begin_task(node, receipt, name, will_notify=will_notify, address=address), LeaseLost)
        if await self.fetch(f"SELECT id FROM tasks WHERE id = '{name}'"):
            self.tasks[name] = brief.turn.session_id

    async def _end_task(self, which: int, code: int) -> None:
        name = self._chosen(self.tasks, which)
        await self._attempt(self._node(which).engine.tasks.finish(name, exit_of(name, code)))

    async def _kill_task(self, which: int) -> None:
        await self._attempt(self._node(which).engine.tasks.intend_kill(self._chosen(self.tasks, which)))

    async def _delegate(self, which: int, is_inline: bool) -> None:
        node, turn_id = self._chosen(self.running, which)
        if turn_id not in node.agent.briefs:
            return
        self.calls += 1
        turn = node.agent.briefs[turn_id].turn
        goals = [Goal("one"), Goal("two")][: 1 + which % 2]
        call = node.engine.delegations.begin(turn, 1, self.calls, goals, is_inline=is_inline)
        await self._attempt(call, LeaseLost, TooManyDelegations)
        for task_id, child in await self.fetch("SELECT id, child_session_id FROM tasks WHERE kind = 'delegation'"):
            self.delegations[task_id] = child

    async def _withdraw(self, which: int) -> None:
        receipt = self._chosen(self.receipts, which)
        call = self._node(which).engine.withdraw(receipt.session_id, receipt.turn_id)
        await self._attempt(call, NotQueued)
        rows = await self.fetch(f"SELECT status FROM inbox WHERE turn_id = '{receipt.turn_id}'")
        if rows[0][0] == "withdrawn":
            self.withdrawn.add(receipt.turn_id)

    async def _race(self, which: int, others: list[str]) -> None:
        """Do several things at once, on any nodes, without waiting for one another."""
        calls = [self._racer(other, which + number) for number, other in enumerate(others)]
        await asyncio.gather(*calls)

    async def _racer(self, what: str, which: int) -> None:
        node = self._node(which)
        match what:
            case "send":
                await self._send(which, IfBusy.QUEUE, WEB)
            case "steer":
                await self._send(which, IfBusy.STEER, WEB)
            case "end" if self.tasks:
                await self._end_task(which, 0)
            case "stop":
                await self._attempt(node.engine.cancel(self._session(which)))
            case "lead" if self.running:
                leading, turn_id = self._chosen(self.running, which)
                leading.agent.order(turn_id, "step" if which % 2 else "finish")

    async def _kill(self, node: Node) -> None:
        self.runs += node.agent.runs
        await self.house.kill(node)
        await self._attach_followers()

    async def _stop(self, node: Node) -> None:
        self.has_stopped_one = True
        await self._attempt(node.engine.stop())
        await self._kill(node)

    async def _bury_the_dead(self) -> None:
        for node in [node for node in self.house.nodes if node.store.is_dead]:
            await self._kill(node)
        await self._attach_followers()

    async def _attach_followers(self) -> None:
        for follower in self.followers.values():
            if self.house.nodes:
                await follower.attach(self.house.nodes[0])
            else:
                await follower.detach()

    async def _heal(self) -> None:
        """Start a new node, let time pass until every turn has ended, and send one more message to each session."""
        for node in list(self.house.nodes):
            await self._kill(node)
        await self.house.start_node()
        await self._attach_followers()
        await self._run_dry()
        for session in self.followers:
            for address in (HOME, ELSEWHERE):
                key = f"last-{address.platform}-{session}"
                self.receipts.append(await send(self.house.nodes[-1], session, key, address=address))
        await self._run_dry()

    async def _run_dry(self) -> None:
        """Let time pass until nothing runs and nothing is due; a retry waits up to a minute, the budget an hour."""
        for _ in range(60):
            await self.house.settle()
            for node, turn_id in self.running:
                node.agent.order(turn_id, "finish")
            await self.house.settle()
            if not self.running:
                await self.house.advance(3600.0)
                await self.house.settle()
            if not self.running:
                return
        raise AssertionError("it never ends")

    async def _move_out(self) -> None:
        for follower in self.followers.values():
            await follower.detach()
        if hasattr(self, "house"):
            await self.house.stop()
        await self.close_store()


class SharedSqliteStore(SqliteStore):
    """Several nodes in one process on one SQLite file, which only this test allows: a schedule costs milliseconds."""

    is_exclusive = False


class SqliteSchedules(Schedules):
    async def open_store(self) -> Store:
        self.folder = Path(tempfile.mkdtemp(prefix="wakeful-"))
        path = self.folder / "wakeful.db"
        put_sqlite_file(path)
        self.store = SharedSqliteStore(path, self.clock.time, synchronous="OFF")
        await self.store.open()
        self.reader = sqlite3.connect(path, isolation_level=None)
        return self.store

    async def fetch(self, query: str) -> list[Any]:
        return self.reader.execute(query).fetchall()

    async def close_store(self) -> None:
        await self.store.close()
        self.reader.close()
        shutil.rmtree(self.folder)


class PostgresSchedules(Schedules):
    database: ReadyDatabase

    async def open_store(self) -> Store:
        url = self.database.emptied()
        self.store = PostgresStore(url)
        await self.store.open()
        self.reader = await asyncpg.connect(url)
        await self.set_store_time(self.clock.now)
        return self.store

    async def fetch(self, query: str) -> list[Any]:
        return [tuple(row) for row in await self.reader.fetch(query)]

    async def set_store_time(self, now: float) -> None:
        await self.database.set_time(now)

    async def close_store(self) -> None:
        await self.store.close()
        await self.reader.close()


def run(machine: type[Schedules], schedules: int) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=schedules,
            stateful_step_count=25,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.fixture(autouse=True)
def folds_on_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fold histories on the event loop: a schedule waits for the loop and the store, and knows of no other thread."""
    monkeypatch.setattr(history, "_MOST_ON_LOOP", sys.maxsize)


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", range(8))
def test_the_rules_hold_on_sqlite_whatever_happens(part: int, soak: bool) -> None:
    run(seed(part)(SqliteSchedules), 2_500 if soak else 14)


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", range(4))
def test_the_rules_hold_on_postgresql_whatever_happens(part: int, soak: bool, ready_database: ReadyDatabase) -> None:
    PostgresSchedules.database = ready_database
    run(seed(part)(PostgresSchedules), 500 if soak else 3)
