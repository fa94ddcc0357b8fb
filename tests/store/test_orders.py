"""In which order things come: by their time, and by their id where that is the same."""

from dataclasses import replace
from typing import Any

import pytest

from tests.store.furnished import a_chat, a_post, furnish
from tests.store.nouns import a_task, an_approval, close_turn, have_closed_turn
from wakeful.model.messaging.pairing import Pairing
from wakeful.model.schedules.cron_job import CronRun, RunStatus
from wakeful.model.tasks.task import Host, TaskOutcome, TaskStatus
from wakeful.store.base import Body, Store, Transaction

# In the order in which they are made.
TIMES = {"b2": 30.0, "a": 10.0, "d": 20.0, "b1": 30.0, "e": 15.0}
OLDEST, NEWEST = ["a", "e", "d", "b1", "b2"], ["b2", "b1", "d", "e", "a"]
END = 9e9
ORDERS: dict[str, tuple[Body[Any], list[str]]] = {
    "due jobs": (lambda tx: tx.cron_jobs.due(END, 9), OLDEST),
    "all jobs": (lambda tx: tx.cron_jobs.all(), OLDEST),
    "grants": (lambda tx: tx.grants.of_owner(None, 0.0), OLDEST),
    "tasks of lost machines": (lambda tx: tx.tasks.of_silent_hosts(END), OLDEST),
    "all tasks": (lambda tx: tx.tasks.page(None, limit=9), NEWEST),
    "tasks of one person": (lambda tx: tx.tasks.page("b1", limit=9), ["b1"]),
    "logins": (lambda tx: tx.logins.page(None, 9), ["b1", "b2", "d", "e", "a"]),
}
# Those of the same time come in any order.
LOOSE_ORDERS: dict[str, Body[Any]] = {
    "running turns": lambda tx: tx.turns.running_on("keeper"),
    "turns that were taken": lambda tx: tx.turns.taken_from("old"),
    "orphans": lambda tx: tx.turns.orphans(END, keeper=None),
    "what a keeper does not run": lambda tx: tx.turns.orphans(END, keeper="another"),
}


@pytest.fixture
async def full(store: Store) -> Store:
    for name, at in TIMES.items():
        await furnish(store, name, at)
    return store


async def test_lists_of_all_sessions_have_their_order(full: Store) -> None:
    async def names(body: Body[Any]) -> list[str]:
        found = await full.read(body)
        return [(getattr(one, "id", "") or one.digest).rpartition("_")[2] for one in found]

    assert {name: await names(body) for name, (body, _) in ORDERS.items()} == {
        name: order for name, (_, order) in ORDERS.items()
    }
    assert {name: [TIMES[one] for one in await names(body)] for name, body in LOOSE_ORDERS.items()} == {
        name: [10.0, 15.0, 20.0, 30.0, 30.0] for name in LOOSE_ORDERS
    }
    waiting = await full.read(lambda tx: tx.approvals.open_of_owner(None, 0.0))
    assert [approval.turn_id for approval in waiting] == [f"t_{name}" for name in OLDEST]
    adopted = await full.write(lambda tx: tx.tasks.adopt(Host("host1", "boot1"), "node", END, keeper=None))
    watched = await full.read(lambda tx: tx.tasks.watched_by("node"))
    assert [task.id for task in adopted] == [task.id for task in watched] == [f"k_{name}" for name in OLDEST]


async def test_the_next_that_is_due_is_the_soonest(full: Store) -> None:
    for name, at in TIMES.items():
        session_id = f"s_{name}"
        await close_turn(full, f"t_{name}")
        await full.write(lambda tx, s=session_id, at=at: tx.sessions.delete(s, at), lock=[session_id])  # type: ignore[misc]

    assert await full.read(lambda tx: tx.cron_jobs.next_due(10.0)) == 15.0
    assert await full.read(lambda tx: tx.sessions.next_purge()) == 10.0
    assert await full.read(lambda tx: tx.sessions.to_purge(END)) == [f"s_{name}" for name in OLDEST]
    assert await full.read(lambda tx: tx.sessions.to_purge(20.0)) == ["s_a", "s_e", "s_d"]


async def test_lists_of_one_session_have_their_order(store: Store) -> None:
    for name, at in TIMES.items():
        await have_closed_turn(store, f"t_{name}", opened_at=at)
    await store.write(_fill, lock=["s1"])

    async def read(tx: Transaction) -> dict[str, list[str]]:
        found: dict[str, list[Any]] = {
            "turns": await tx.turns.recent("s1", 9),
            "tasks": await tx.tasks.of_session("s1"),
            "running": await tx.tasks.running_in("s1"),
            "recent": await tx.tasks.recent("s1", ended=2),
        }
        return {what: [one.id.partition("_")[2] for one in ones] for what, ones in found.items()}

    assert await store.read(read) == {
        "turns": NEWEST,
        "tasks": OLDEST,
        "running": ["a", "e"],
        "recent": ["b2", "b1", "e", "a"],
    }
    waiting = await store.read(lambda tx: tx.approvals.open_of("s1", 0.0))
    assert [approval.call_id for approval in waiting] == OLDEST
    newest = await store.read(lambda tx: tx.approvals.find("s1", "b2"))
    assert newest is not None
    assert newest.turn_id == "t_b2"
    posts = await store.read(lambda tx: tx.posts.of_turn("t_x"))
    assert [(post.position, post.part) for post in posts] == [(1, 0), (2, 0), (2, 1), (2, 2)]
    assert await store.read(lambda tx: tx.posts.keyed([post.key for post in reversed(posts)])) == posts
    page = await store.read(lambda tx: tx.posts.page(session_id="s_x", limit=9))
    assert page == posts[::-1]
    runs = await store.read(lambda tx: tx.cron_jobs.runs("j1", 9))
    assert [run.fire_at for run in runs] == [30.0, 30.0, 20.0, 15.0, 10.0]
    people = await store.read(lambda tx: tx.pairings.all())
    assert [person.user_id for person in people] == OLDEST
    asked_last = await store.read(lambda tx: tx.pairings.by_code("CODE"))
    assert asked_last is not None
    assert asked_last.asked_at == 30.0
    chat = await store.read(lambda tx: tx.chats.at("platform_x", "chat_x", None))
    assert chat is not None
    assert chat.key == "chat_b1"


async def _fill(tx: Transaction) -> None:
    for number, (name, at) in enumerate(TIMES.items()):
        await tx.tasks.add_if_absent(a_task(f"k_{name}", index=number, started_at=at))
        if name not in ("a", "e"):
            await tx.tasks.finish_if_running(f"k_{name}", TaskOutcome(TaskStatus.EXITED, 0, ""))
        await tx.approvals.ask_if_new(an_approval(f"t_{name}", call_id=name, created_at=at))
        await tx.cron_jobs.add_run(CronRun("j1", at, RunStatus.DONE, is_manual=name == "b2"))
        await tx.pairings.put(Pairing("slack", name, name, "CODE", at))
        await tx.chats.put(replace(a_chat("x"), key=f"chat_{name}", thread_id=name, last_at=at))
    for position, part in ((2, 1), (1, 0), (2, 2), (2, 0)):
        place = f"{position}_{part}"
        await tx.posts.put(replace(a_post("x"), id=f"p_{place}", key=f"key_{place}", position=position, part=part))
