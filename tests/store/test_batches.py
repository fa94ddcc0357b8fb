"""Pages and batches: as many rows as asked for, and the rest at the next time."""

from functools import partial
from typing import Any

import pytest

from tests.store.furnished import a_post, furnish
from tests.store.nouns import close_turn
from wakeful.model.messaging.post import PostState
from wakeful.store.base import Body, Store, Transaction

END = 9e9
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


async def test_a_batch_drops_as_many_as_it_may_and_the_next_one_the_rest(full: Store) -> None:
    async def dropped(body: Body[Any]) -> int:
        done: int | list[str] = await full.write(body)
        return len(done) if isinstance(done, list) else done

    counts = {name: [await dropped(body) for _ in range(3)] for name, body in DROPS.items()}
    assert counts == {name: [2, 1, 0] for name in DROPS}
