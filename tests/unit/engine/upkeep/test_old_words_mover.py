"""How the job that moves old words goes through the turns of a database."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.store.nouns import an_input, append, close_turn, have_turn
from tests.unit.engine.upkeep.kit import HurriedClock
from wakeful.engine.upkeep import old_words_mover as movers
from wakeful.engine.upkeep.old_words_mover import OldWordsMover
from wakeful.errors import StoreUnavailable
from wakeful.model.event import NewEvent
from wakeful.model.older.words import LookedAt, Move
from wakeful.store.base import Transaction
from wakeful.store.sqlite.store import SqliteStore


class Turns:
    """The turns of a database, and how far the job has come; a transaction, and a store of it."""

    def __init__(self, *turns: LookedAt, position: str = "") -> None:
        self.turns = list(turns)
        self.reached = [position]
        self.old_words = self

    async def read(self, body: Callable[[Any], Awaitable[Any]]) -> Any:
        return await body(self)

    write = read

    async def position(self) -> str:
        return self.reached[-1]

    async def reach(self, position: str) -> None:
        self.reached.append(position)

    async def turns_after(self, turn_id: str, limit: int) -> list[LookedAt]:
        return [turn for turn in self.turns if turn.turn_id > turn_id][:limit]


class Mover(OldWordsMover):
    """Notes which turns it moves, and fails at some."""

    def __init__(self, turns: Turns, **errors: Exception) -> None:
        store: Any = turns
        self.clock = HurriedClock()
        super().__init__(store, self.clock)
        self.moved: list[str] = []
        self.errors = errors

    async def _move_all(self, turn: LookedAt) -> None:
        if turn.turn_id in self.errors:
            raise self.errors[turn.turn_id]
        self.moved.append(turn.turn_id)


def a_turn(turn_id: str, *, is_closed: bool = True, is_old: bool = True) -> LookedAt:
    return LookedAt(turn_id, "s", is_closed, is_old)


@pytest.fixture(autouse=True)
def _small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(movers, "_TURNS", 2)


async def test_old_turns_are_moved_with_a_rest_after_each_and_new_ones_passed() -> None:
    turns = Turns(a_turn("a"), a_turn("b", is_old=False), a_turn("c"), a_turn("d", is_old=False, is_closed=False))
    mover = Mover(turns)

    assert await mover.sweep() is None

    assert mover.moved == ["a", "c"]
    assert mover.clock.waits == [0.02, 0.02]
    assert turns.reached == ["", "b", "d", "all"]


async def test_a_database_that_is_done_is_left_alone() -> None:
    turns = Turns(a_turn("a"), a_turn("turn_1"), position="all")
    mover = Mover(turns)

    assert await mover.sweep() is None
    assert (mover.moved, turns.reached) == ([], ["all"])


async def test_a_sweep_begins_where_the_last_one_has_come_to() -> None:
    turns = Turns(a_turn("a"), a_turn("b"), position="a")
    mover = Mover(turns)
    await mover.job.look()

    assert mover.moved == ["b"]
    assert mover.job.counts.failures == 0
    assert mover.job._wait is None


async def test_a_turn_that_runs_is_looked_at_again_and_those_after_it_are_not_held_up() -> None:
    turns = Turns(a_turn("a"), a_turn("b", is_closed=False), a_turn("c"), a_turn("d"))
    mover = Mover(turns)

    assert await mover.sweep() == 60.0
    assert mover.moved == ["a", "c", "d"]
    # No further than to the turn before it, and no write where nothing has changed.
    assert turns.reached == ["", "a"]

    turns.turns = [a_turn("b")]
    assert await mover.sweep() is None
    assert mover.moved[3:] == ["b"]
    assert turns.reached == ["", "a", "b", "all"]


async def test_a_turn_that_cannot_be_moved_stays_as_it_is_and_holds_nothing_up(
    caplog: pytest.LogCaptureFixture,
) -> None:
    turns = Turns(a_turn("a"), a_turn("b"))
    mover = Mover(turns, a=ZeroDivisionError("a bug"))

    assert await mover.sweep() is None

    assert mover.moved == ["b"]
    assert mover.clock.waits == [0.02, 0.02]
    assert turns.reached[-1] == "all"
    assert "the log of turn a stays" in caplog.text


async def test_a_store_that_fails_ends_the_sweep_before_the_turn() -> None:
    turns = Turns(a_turn("a"), a_turn("b"), a_turn("c"))
    mover = Mover(turns, c=StoreUnavailable("away"))

    with pytest.raises(StoreUnavailable):
        await mover.sweep()
    assert turns.reached == ["", "b"]


async def have_old_turn(store: SqliteStore, *, ends_with: str = "cancelled") -> None:
    """A turn of a version that wrote words as events: three facts around two words."""
    lease = await have_turn(store)
    await store.write(lambda tx: tx.journal.add([an_input("t1", "Hi")]), lock=["s1"])
    words = [NewEvent.of("token", {"step": 1, "text": text}) for text in ("Not ", "whole")]
    facts = [NewEvent.of("turn_started", {}), NewEvent.of("message", {"message_id": "m", "content": "Hi"})]
    await append(store, lease, [*facts, *words, NewEvent.of(ends_with, {})])
    await close_turn(store, "t1")


async def kinds_in(store: SqliteStore) -> list[str]:
    return [event.kind for event in await store.read(lambda tx: tx.events.of_turn("t1", 0, 99))]


@pytest.mark.parametrize("page", [1, 2, 1000])
async def test_a_log_is_read_in_pages_however_long(
    store: SqliteStore, page: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(movers, "_EVENTS", page)
    await have_old_turn(store)

    await OldWordsMover(store, HurriedClock()).sweep()

    assert await kinds_in(store) == ["turn_started", "message", "cancelled"]
    entries = await store.read(lambda tx: tx.journal.of_turns(["t1"]))
    assert [entry.data["text"] for entry in entries] == ["Hi", "Not whole"]


async def moves_now(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> list[Move]:
    """What a node has found to move, before it moves it."""
    found: list[Move] = []

    async def note(_tx: Transaction, _turn: LookedAt, moves: list[Move], _quotes: object) -> None:
        found.extend(moves)

    with monkeypatch.context() as patch:
        patch.setattr(movers, "_move", note)
        await OldWordsMover(store, HurriedClock())._move_all(LookedAt("t1", "s1", is_closed=True, is_old=True))
    return found


async def test_words_that_another_node_has_moved_are_left_alone(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    await have_old_turn(store)
    moves = await moves_now(store, monkeypatch)
    turn = LookedAt("t1", "s1", is_closed=True, is_old=True)
    for _ in range(2):
        await store.write(lambda tx: movers._move(tx, turn, moves, []), lock=["s1"])

    assert len(await store.read(lambda tx: tx.journal.of_turns(["t1"]))) == 2
    assert await kinds_in(store) == ["turn_started", "message", "cancelled"]


async def test_a_session_that_is_gone_or_deleted_is_left_to_the_purge(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    await have_old_turn(store)
    moves = await moves_now(store, monkeypatch)
    gone = LookedAt("t1", "gone", is_closed=True, is_old=True)
    await store.write(lambda tx: movers._move(tx, gone, moves, []), lock=["gone"])
    await store.write(lambda tx: tx.sessions.delete("s1", 9e9), lock=["s1"])
    await OldWordsMover(store, HurriedClock()).sweep()

    assert (await kinds_in(store)).count("token") == 2
