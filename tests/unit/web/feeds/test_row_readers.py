"""Readers of rows at the same time: tabs of one person share a read, and none is given what is older than a change."""

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.patience import idle
from tests.unit.web.feeds.test_feeds import Following, no_pauses
from wakeful.model.approvals.mode import Mode
from wakeful.store.base import Signal, Store
from wakeful.web.feeds import row_feed
from wakeful.web.feeds.row_feed import RowFeed, _Listener, _next_due, _wait

CHANGE = Signal(frozenset(["ses_1"]))


class SlowStore:
    """Reads end when the test says so."""

    def __init__(self) -> None:
        self.reads: list[asyncio.Future[Any]] = []
        self.commit: Any = None

    @property
    def notifier(self) -> "SlowStore":
        return self

    def listen(self, listener: Any) -> None:
        self.commit = listener

    async def read(self, body: Any) -> Any:
        self.reads.append(asyncio.get_running_loop().create_future())
        return await self.reads[-1]


def readers_of(store: SlowStore, *people: tuple[str, str | None]) -> tuple[RowFeed, list[Following]]:
    feed = RowFeed(cast(Store, store), Mode.ASK)
    return feed, [Following(feed.follow(reader, owner)) for reader, owner in people]


async def test_the_tabs_of_one_person_share_a_read_and_nobody_elses() -> None:
    store = SlowStore()
    feed, readers = readers_of(store, ("ann", "ann"), ("ann", "ann"), ("bob", "bob"), ("ann", None))
    await idle()

    store.commit(CHANGE)
    await idle()
    assert len(store.reads) == 3
    for number, read in enumerate(store.reads):
        read.set_result([("row", b"%d" % number)])

    first, second, *others = [await reader.item() for reader in readers]
    assert first == second
    assert len({first, *others}) == 3
    await idle()
    assert feed._reads == {}
    for reader in readers:
        await reader.leave()


async def test_a_tab_that_is_closed_does_not_end_the_read_of_another() -> None:
    store = SlowStore()
    _, (first, second) = readers_of(store, ("ann", "ann"), ("ann", "ann"))
    await idle()
    store.commit(CHANGE)
    await idle()

    await first.leave()
    store.reads[0].set_result([("row", b"x")])

    assert await second.item() == ("row", b"x")
    await second.leave()


async def test_what_is_read_after_a_change_is_read_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    no_pauses(monkeypatch)
    store = SlowStore()
    feed, (first,) = readers_of(store, ("ann", "ann"))
    await idle()
    store.commit(CHANGE)
    await idle()
    second = Following(feed.follow("ann", "ann"))
    await idle()

    store.commit(CHANGE)
    await idle()

    assert len(store.reads) == 2
    store.reads[0].set_result([("row", b"old")])
    await idle()
    # The read that has ended takes only itself off the list.
    assert len(feed._reads) == 1
    store.reads[1].set_result([("row", b"new")])
    assert (await first.item(), await second.item()) == (("row", b"old"), ("row", b"new"))
    for reader in (first, second):
        await reader.leave()


@pytest.mark.parametrize(
    ("changed", "due_in"), [(set(), -100.0), ({"a"}, 5.0), ({"a", "b"}, 2.0), ({"a", "new"}, -100.0)]
)
def test_the_first_row_that_may_be_sent_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, changed: set[str], due_in: float
) -> None:
    monkeypatch.setattr(row_feed, "time", SimpleNamespace(monotonic=lambda: 100.0))

    assert _next_due(changed, {"a": 105.0, "b": 102.0}) == due_in


async def test_where_any_session_may_have_changed_nothing_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses = no_pauses(monkeypatch)
    listener = _Listener(changed={"a"}, is_lost=True, next_at={"a": 1e12})

    await _wait(listener)
    assert pauses == []
    listener.is_lost = False
    await _wait(listener)
    assert len(pauses) == 1
