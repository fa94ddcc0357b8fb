"""Pages and batches: as many rows as asked for, and the rest at the next time."""

from functools import partial
from typing import Any

import pytest

from tests.store.furnished import a_post, furnish
from tests.store.nouns import close_turn, have_closed_turn, have_session, some_events
from wakeful.model.messaging.post import PostState
from wakeful.model.schedules.cron_job import CronRun, RunStatus
from wakeful.store.base import Body, Store, Transaction

END = 9e9
LISTS: dict[str, Body[Any]] = {
    "runs": lambda tx: tx.cron_jobs.runs("j1", 2),
    "news": lambda tx: tx.news.after("alice", 0, 2),
    "unread news": lambda tx: tx.news.unread("alice", 2),
    "events": lambda tx: tx.events.of_session("s1", 0, 2),
    "turns": lambda tx: tx.turns.recent("s1", 2),
    "turns of old": lambda tx: tx.old_words.turns_after("", 2),
    "chain": lambda tx: tx.turns.chain("t3", 2),
    "behind": lambda tx: tx.outbox_cursors.behind(["telegram"], 2),
    "forgotten": lambda tx: tx.sessions.forgotten(2),
}
PAGES: dict[str, Body[Any]] = {
    "sessions": lambda tx: tx.sessions.page(None, limit=2),
    "tasks": lambda tx: tx.tasks.page(None, limit=2),
    "logins": lambda tx: tx.logins.page(None, 2),
    "posts": lambda tx: tx.posts.page(limit=2),
    "jobs": lambda tx: tx.cron_jobs.due(END, 2),
    "changes": lambda tx: tx.changes.old("host", END, 2),
}
DROPS: dict[str, Body[Any]] = {
    "news": lambda tx: tx.news.drop_old(END, 2),
    "messages": lambda tx: tx.chats.drop_taken(END, 2),
    "keys": lambda tx: tx.idempotency_keys.drop_old(END, 2),
    "runs": lambda tx: tx.cron_jobs.drop_old_runs(END, 2),
    "posts": lambda tx: tx.posts.drop_old(END, 2),
    "nodes": lambda tx: tx.nodes.drop_old(END, 2),
    "uploads": lambda tx: tx.attachments.drop_unused(END, 2),
}


@pytest.fixture
async def full(store: Store) -> Store:
    """A store with three of everything, all of it done and over."""
    for name in ("a", "b", "c"):
        await furnish(store, name, 20.0)
        await close_turn(store, f"t_{name}")
        await store.write(partial(_end, name))
    return store


async def _end(name: str, tx: Transaction) -> None:
    await tx.cron_jobs.change_run_of(f"t_{name}", status="done")
    await tx.nodes.renew(name, 30.0, host="host1")
    await tx.posts.change(a_post(name).id, PostState.SENT, [PostState.WAITING], sent_at=30.0)


async def test_a_page_is_as_long_as_asked_for(full: Store) -> None:
    assert {name: len(await full.read(page)) for name, page in PAGES.items()} == dict.fromkeys(PAGES, 2)


async def test_a_list_is_as_long_as_asked_for(store: Store) -> None:
    parent = None
    for number in (1, 2, 3):
        await have_closed_turn(store, f"t{number}", parent=parent)
        parent = f"t{number}"
        await have_session(store, f"hidden{number}", is_listed=False)
        await have_closed_turn(store, f"h{number}", f"hidden{number}")
        await store.write(partial(_more, number), lock=["s1", f"hidden{number}"])

    assert {name: len(await store.read(some)) for name, some in LISTS.items()} == dict.fromkeys(LISTS, 2)


async def _more(number: int, tx: Transaction) -> None:
    await tx.cron_jobs.add_run(CronRun("j1", float(number), RunStatus.DONE))
    await tx.news.add("alice", *await tx.events.append("s1", None, some_events(1)))
    await tx.events.append(f"hidden{number}", None, some_events(1))
    await tx.turns.hide(f"h{number}")


async def test_a_batch_drops_as_many_as_it_may_and_the_next_one_the_rest(full: Store) -> None:
    async def dropped(body: Body[Any]) -> int:
        done: int | list[str] = await full.write(body)
        return len(done) if isinstance(done, list) else done

    counts = {name: [await dropped(body) for _ in range(3)] for name, body in DROPS.items()}
    assert counts == {name: [2, 1, 0] for name in DROPS}
