"""Rows as they are read from the store: of the reader's own sessions, and of the newest where any may have changed."""

from functools import partial

import orjson
import pytest

from tests.store.nouns import have_session
from wakeful.model.approvals.mode import Mode
from wakeful.store.base import Store, Transaction
from wakeful.web.feeds import row_feed
from wakeful.web.feeds.row_feed import RowChanges, RowFeed


@pytest.fixture
async def store(store: Store) -> Store:
    await have_session(store, "old", owner="ann", updated_at=10.0, title="Old")
    await have_session(store, "new", owner="ann", updated_at=20.0)
    await have_session(store, "foreign", owner="bob", updated_at=30.0)
    await have_session(store, "below", owner="ann", updated_at=40.0, task_id="task_1")
    for name, owner in (("deleted", "ann"), ("gone", "bob")):
        await have_session(store, name, owner=owner, updated_at=50.0)
        await store.write(partial(_delete, name), lock=[name])
    return store


async def _delete(session_id: str, tx: Transaction) -> None:
    await tx.sessions.delete(session_id, 1e12)


def told(changes: RowChanges) -> list[tuple[str, str]]:
    data = [(name, orjson.loads(line)) for name, line in changes]
    return [(name, line["row"]["session_id"] if "row" in line else line["session_id"]) for name, line in data]


@pytest.mark.parametrize(
    ("owner", "seen"),
    [
        ("ann", [("session_gone", "deleted"), ("session_row", "new"), ("session_row", "old")]),
        ("bob", [("session_gone", "gone"), ("session_row", "foreign")]),
        (
            None,
            [("session_gone", "deleted"), ("session_gone", "gone")]
            + [("session_row", name) for name in ("foreign", "new", "old")],
        ),
    ],
)
async def test_changes_of_the_readers_own_sessions_are_told_and_no_others(
    store: Store, owner: str | None, seen: list[tuple[str, str]]
) -> None:
    changed = frozenset({"old", "new", "foreign", "below", "deleted", "gone", "unknown"})

    changes = await RowFeed(store, Mode.ASK)._read("ann", owner, changed, False)

    assert told(changes) == seen


@pytest.mark.parametrize(("most", "seen"), [(1, ["new"]), (2, ["new", "old"])])
async def test_where_any_session_may_have_changed_the_newest_of_the_owner_are_told(
    store: Store, monkeypatch: pytest.MonkeyPatch, most: int, seen: list[str]
) -> None:
    monkeypatch.setattr(row_feed, "_MOST_ROWS", most)

    changes = await RowFeed(store, Mode.ASK)._read("ann", "ann", frozenset(), True)

    assert told(changes) == [("session_row", name) for name in seen]


async def test_what_is_known_to_have_changed_is_told_once_also_where_anything_may_have_changed(
    store: Store,
) -> None:
    changes = await RowFeed(store, Mode.ASK)._read("ann", "ann", frozenset({"deleted", "old"}), True)

    assert told(changes) == [("session_gone", "deleted"), ("session_row", "old"), ("session_row", "new")]


async def test_a_row_shows_the_mode_of_the_server_where_the_session_has_none(store: Store) -> None:
    ((_, line),) = await RowFeed(store, Mode.READ_ONLY)._read("ann", "ann", frozenset({"old"}), False)

    row = orjson.loads(line)["row"]
    assert (row["title"], row["mode"], row["updated_at"]) == ("Old", "read_only", "1970-01-01T00:00:10.000Z")
