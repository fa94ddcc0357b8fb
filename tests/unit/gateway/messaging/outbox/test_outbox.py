"""The outbox of a platform: whose facts it makes into posts, when it looks for them, and which turns it shows."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.engine.kit import FakeClock
from tests.patience import PATIENCE
from tests.store.nouns import a_turn, close_turn, have_session
from tests.unit.gateway.messaging.kit import ScriptedPlatform
from tests.unit.gateway.messaging.outbox.test_live import Followed
from wakeful.engine.supervisor import Supervisor
from wakeful.gateway.messaging.outbox.outbox import PlatformOutbox, manner_of
from wakeful.gateway.messaging.settings import DoorSettings, MessagingSettings
from wakeful.gateway.messaging.text.forms import FORMS
from wakeful.model import event as events
from wakeful.model.event import NewEvent
from wakeful.model.opening import Opening
from wakeful.model.session import Address
from wakeful.model.turn import Door
from wakeful.store.base import Signal, Store

SETTINGS = MessagingSettings(
    {"telegram": DoorSettings(edit_seconds=0.5), "slack": DoorSettings()}, send_timeout=7.0, settle_seconds=2.0
)
CHAT = Address("telegram", "1")


class Engine(Followed):
    """Whose turns run, and say nothing, until the test ends them."""

    node = "node_1"


class Unstarted:
    """A supervisor that starts no job: the test does what they would."""

    @asynccontextmanager
    async def at_work(self, *jobs: Any) -> AsyncIterator[None]:
        yield


@pytest.fixture
async def store(store: Store) -> Store:
    await store.write(lambda tx: tx.platform_doors.hold("telegram", "node_1"))
    return store


@pytest.fixture
def engine() -> Engine:
    return Engine()


@pytest.fixture
def outbox(store: Store, engine: Any) -> PlatformOutbox:
    return PlatformOutbox(engine, store, ScriptedPlatform(), SETTINGS, FakeClock())


async def have_failed_turn(store: Store, session_id: str, address: Address = CHAT, **session: Any) -> None:
    """Write a turn that has failed and no post yet."""
    await have_running_turn(store, session_id, address, **session)
    failed = NewEvent.of(events.FAILED, {"code": "model_key", "message": "No key."})
    await close_turn(store, f"turn_{session_id}", facts=(failed,))


async def have_running_turn(
    store: Store, session_id: str, address: Address = CHAT, door: str = "", **session: Any
) -> None:
    await have_session(store, session_id, address=address, chat_key=f"{address.platform}:private:1", **session)
    turn = a_turn(
        f"turn_{session_id}", session_id, address=address, door=Door(door or address.platform, async_delivery=True)
    )
    await store.write(lambda tx: tx.open(Opening(turn)), lock=[session_id])


async def posted(store: Store) -> list[str]:
    return sorted(post.session_id or "" for post in await store.read(lambda tx: tx.posts.page(limit=100)))


def signal(*sessions: str, is_everything: bool = False) -> Signal:
    return Signal(frozenset(sessions), is_everything=is_everything)


def test_the_postman_of_a_platform_has_its_form_and_the_operators_times() -> None:
    manner = manner_of("telegram", SETTINGS)

    assert (manner.form, manner.send_timeout, manner.settle_seconds) == (FORMS["telegram"], 7.0, 2.0)
    assert (manner.edit_seconds, manner.unordered_slots) == (0.5, None)


async def test_without_hints_all_sessions_of_the_platform_are_looked_at(store: Store, outbox: PlatformOutbox) -> None:
    await have_failed_turn(store, "s1")
    await have_failed_turn(store, "s2")
    await have_failed_turn(store, "s3", Address("slack", "D1"))

    assert await outbox.sweep() == 30.0
    assert await posted(store) == ["s1", "s2"]


async def test_with_hints_only_those_are_looked_at_and_each_once(store: Store, outbox: PlatformOutbox) -> None:
    for session_id in ("s1", "s2"):
        await have_failed_turn(store, session_id)
    await have_failed_turn(store, "s3", Address("slack", "D1"))
    outbox._touched = {"s1", "s3", "gone"}

    await outbox.sweep()

    assert await posted(store) == ["s1"]
    assert outbox._touched == set()
    assert outbox._platforms == {"s1": "telegram", "s3": "slack"}


async def test_the_sessions_that_are_kept_in_mind_are_bounded(
    store: Store, outbox: PlatformOutbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wakeful.gateway.messaging.outbox.outbox._MOST_KNOWN", 2)
    for session_id in ("s1", "s2", "s3"):
        await have_session(store, session_id, address=CHAT)
        outbox._touched = {session_id}
        await outbox.sweep()

    assert list(outbox._platforms) == ["s2", "s3"], "the oldest are forgotten"


async def test_a_node_that_does_not_hold_the_door_makes_no_posts(store: Store, outbox: PlatformOutbox) -> None:
    await have_failed_turn(store, "s1")
    await store.write(lambda tx: tx.platform_doors.release("telegram", "node_1"))

    await outbox.project("s1")
    assert await posted(store) == []
    await store.write(lambda tx: tx.platform_doors.hold("telegram", "node_1"))
    await outbox.project("s1")
    assert await posted(store) == ["s1"]


async def test_a_session_with_many_facts_is_read_to_its_end(
    store: Store, outbox: PlatformOutbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wakeful.gateway.messaging.outbox.projection._PAGE", 1)
    await have_running_turn(store, "s1")
    await store.write(lambda tx: tx.events.append("s1", "turn_s1", [NewEvent("other", b"{}")] * 3), lock=["s1"])
    failed = NewEvent.of(events.FAILED, {"code": "model_key", "message": "No key."})
    await close_turn(store, "turn_s1", facts=(failed,))

    await outbox.project("s1")

    assert await posted(store) == ["s1"]
    assert outbox.postman.job._changed.is_set(), "the postman is told"


async def test_commits_are_heard_while_it_is_open(outbox: PlatformOutbox) -> None:
    outbox._hear(signal("s1"))
    assert outbox._touched == set(), "another node holds the door"
    outbox._is_open = True
    outbox.job._changed.clear()

    outbox._hear(signal("s1"))
    outbox._hear(signal("s2"))
    assert (outbox._touched, outbox.job._changed.is_set()) == ({"s1", "s2"}, True)
    outbox._hear(signal("s3", is_everything=True))
    assert outbox._touched is None, "the next look has no hints"


@pytest.mark.parametrize("first", ["opened", "everything"])
async def test_a_look_at_everything_is_not_narrowed_by_what_is_heard_before_it(
    store: Store, outbox: PlatformOutbox, first: str
) -> None:
    await have_failed_turn(store, "s1")
    await have_failed_turn(store, "s2")
    supervisor: Any = Unstarted()
    async with outbox.at_work(supervisor):
        if first == "everything":
            outbox._touched = set()
            outbox._hear(signal("s1", is_everything=True))
        outbox._hear(signal("s2"))
        await outbox.sweep()

    assert await posted(store) == ["s1", "s2"]


async def test_it_opens_with_a_look_at_everything_and_closes_with_all_that_it_shows(
    store: Store, outbox: PlatformOutbox
) -> None:
    await have_running_turn(store, "s1")
    await store.write(lambda tx: tx.events.append("s1", "turn_s1", [NewEvent("other", b"{}")]), lock=["s1"])
    await have_failed_turn(store, "s2")
    outbox._touched = {"s3"}
    async with asyncio.timeout(PATIENCE):
        async with outbox.at_work(Supervisor()):
            while await posted(store) != ["s2"] or not outbox._live:  # noqa: ASYNC110 - nothing says so
                await asyncio.sleep(0)
            shown = list(outbox._live.values())
            assert outbox._is_open

    assert all(task.done() for task in shown)
    assert (outbox._is_open, outbox._live) == (False, {})


async def test_a_running_turn_is_shown_once_and_forgotten_when_it_ends(
    store: Store, outbox: PlatformOutbox, engine: Engine
) -> None:
    await have_running_turn(store, "s1")
    await outbox.project("s1")
    (task,) = outbox._live.values()
    await outbox.project("s1")
    assert list(outbox._live.values()) == [task]
    engine.pages.put_nowait(None)
    async with asyncio.timeout(PATIENCE):
        assert await task
    await asyncio.sleep(0)

    assert outbox._live == {}


@pytest.mark.parametrize("session", [{"task_id": "k1"}, {"door": "web"}])
async def test_turns_of_sub_agents_and_of_other_doors_are_not_shown(
    store: Store, outbox: PlatformOutbox, session: dict[str, Any]
) -> None:
    await have_running_turn(store, "s1", **session)
    await outbox.project("s1")
    await outbox.project("gone")

    assert outbox._live == {}


async def test_a_turn_that_has_ended_is_not_shown(store: Store, outbox: PlatformOutbox) -> None:
    await have_failed_turn(store, "s1")
    await outbox.project("s1")

    assert outbox._live == {}


async def test_posts_of_one_session_are_written_by_one_at_a_time(store: Store, outbox: PlatformOutbox) -> None:
    await have_failed_turn(store, "s1")
    await have_failed_turn(store, "s2")
    lock = outbox._lock("s1")
    async with lock:
        first = asyncio.create_task(outbox.project("s1"))
        await outbox.project("s2")
        assert (await posted(store), first.done()) == (["s2"], False)
    await first

    assert await posted(store) == ["s1", "s2"]
    assert outbox._lock("s1") is lock
    del lock
    assert len(outbox._locks) <= 1, "those of sessions that nobody waits for are dropped"
