"""Feeds of rows, news and sub-agents: which commits wake their readers, and what is left when one goes."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.patience import PATIENCE, idle
from wakeful.model import event as events
from wakeful.model.approvals.mode import Mode
from wakeful.model.event import Event
from wakeful.model.journal.work import SubAgentWork
from wakeful.model.spend import Spend
from wakeful.store.base import Signal, Store
from wakeful.web.feeds import news_feed, row_feed, work_feed
from wakeful.web.feeds.news_feed import NewsFeed
from wakeful.web.feeds.row_feed import RowFeed
from wakeful.web.feeds.work_feed import WorkFeed
from wakeful.web.feeds.works import Works


class FakeStore:
    """Answers each read with the next of its answers, and waits where it has none."""

    def __init__(self, *answers: Any) -> None:
        self._answers = list(answers)
        self.reads = 0
        self.commit: Callable[[Signal], None] = lambda _: None
        self.watched: Callable[[], Iterable[str]] = lambda: ()

    @property
    def notifier(self) -> "FakeStore":
        return self

    def listen(self, listener: Callable[[Signal], None]) -> None:
        self.commit = listener

    def watch(self, followed: Callable[[], Iterable[str]]) -> None:
        self.watched = followed

    async def read(self, body: Any) -> Any:
        self.reads += 1
        return self._answers.pop(0) if self._answers else await asyncio.Event().wait()


class BusyStore(FakeStore):
    """Something is committed while its first read is under way, which does not see it."""

    async def read(self, body: Any) -> Any:
        found = await super().read(body)
        if self.reads == 1:
            self.commit(signal(events.PROCESS_COMPLETE))
        return found


class Following:
    """A reader of a feed that has begun to wait for its next item."""

    def __init__(self, items: AsyncGenerator[Any, None]) -> None:
        self._items = items
        self.next = asyncio.ensure_future(anext(items))

    async def item(self) -> Any:
        async with asyncio.timeout(PATIENCE):
            found = await self.next
        self.next = asyncio.ensure_future(anext(self._items))
        return found

    async def leave(self) -> None:
        self.next.cancel()
        await asyncio.gather(self.next, return_exceptions=True)
        await self._items.aclose()


def no_pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the pauses that the feeds make, which last no time."""
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    for feed in (news_feed, row_feed, work_feed):
        monkeypatch.setattr(feed, "asyncio", SimpleNamespace(**vars(asyncio) | {"sleep": sleep}))
    return pauses


def event(kind: str, session_id: str = "ses_1") -> Event:
    return Event(session_id, 1, "turn_1", 1, kind, b"{}", 0.0, None)


def signal(*kinds: str, sessions: Iterable[str] = ("ses_1",)) -> Signal:
    return Signal(frozenset(sessions), events=tuple(event(kind) for kind in kinds))


def works(*sessions: str, steps: int = 0) -> Works:
    work = SubAgentWork("", "", "", steps, Spend(), 0)
    return Works({f"task_{of}": work for of in sessions}, frozenset(sessions))


async def test_a_reader_that_leaves_is_not_told_and_watched_for_any_more() -> None:
    store, other = FakeStore(works("ses_below"), works("ses_below")), FakeStore([])
    feed, rows, news = WorkFeed(cast(Store, store)), RowFeed(cast(Store, other), Mode.ASK), NewsFeed(cast(Store, other))
    readers = [
        Following(feed.follow(["ses_1"])),
        Following(rows.follow("ann", "ann")),
        Following(news.follow("ann", 0)),
    ]
    await readers[0].item()
    await idle()
    assert list(store.watched()) == ["ses_below"]
    assert [len(each._listeners) for each in (feed, rows, news)] == [1, 1, 1]

    for reader in readers:
        await reader.leave()

    assert list(store.watched()) == []
    assert [len(each._listeners) for each in (feed, rows, news)] == [0, 0, 0]


@pytest.mark.parametrize(
    ("heard", "is_news"),
    [
        (signal(events.PROCESS_COMPLETE), True),
        (signal(events.TOKEN, events.FAILED), True),
        (signal(events.TOKEN), False),
        (signal(events.TOKEN, sessions=["ses_1", "ses_of_another_node"]), None),
        (Signal(frozenset(["ses_of_another_node"])), None),
        (Signal(frozenset(), is_everything=True), None),
    ],
)
async def test_news_is_looked_for_at_once_if_it_is_certain_and_soon_if_it_is_possible(
    monkeypatch: pytest.MonkeyPatch, heard: Signal, is_news: bool | None
) -> None:
    pauses = no_pauses(monkeypatch)
    store = FakeStore([])
    reader = Following(NewsFeed(cast(Store, store)).follow("ann", 0))
    await idle()

    store.commit(heard)
    await idle()

    assert store.reads == (1 if is_news is False else 2)
    assert pauses == {False: [], True: [0.0], None: [0.1]}[is_news]
    await reader.leave()


async def test_each_item_of_news_comes_once_and_the_next_are_looked_for_after_it() -> None:
    store = FakeStore([(3, "a"), (4, "b")], [(7, "c")])
    reader = Following(NewsFeed(cast(Store, store)).follow("ann", 0))

    assert [await reader.item() for _ in range(3)] == [(3, "a"), (4, "b"), (7, "c")]
    await reader.leave()


@pytest.mark.parametrize(
    ("heard", "is_read"),
    [
        (signal(events.TOOL), True),
        (signal(events.TOKEN, events.TOOL), True),
        (signal(events.TOKEN, events.REASONING), False),
        (Signal(frozenset(["ses_1"])), True),
        (signal(events.TOOL, sessions=["ses_below"]), True),
        (Signal(frozenset(["ses_other"])), False),
        (Signal(frozenset(), is_everything=True), True),
    ],
)
async def test_sub_agents_are_looked_at_again_when_they_or_their_session_go_on(
    monkeypatch: pytest.MonkeyPatch, heard: Signal, is_read: bool
) -> None:
    no_pauses(monkeypatch)
    store = FakeStore(works("ses_below"), works("ses_below"))
    reader = Following(WorkFeed(cast(Store, store)).follow(["ses_1"]))
    await reader.item()
    await idle()
    # Once at first, and once more because the sub-agent may have gone on before it was listened to.
    assert store.reads == 2

    store.commit(heard)
    await idle()

    assert store.reads == (3 if is_read else 2)
    await reader.leave()


async def test_a_sub_agent_that_begins_while_its_session_is_looked_at_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    no_pauses(monkeypatch)
    store = BusyStore(works(), works("ses_below"))
    reader = Following(WorkFeed(cast(Store, store)).follow(["ses_1"]))

    await idle()

    assert reader.next.done()
    assert b'"task_ses_below"' in await reader.item()
    await reader.leave()


async def test_news_that_comes_while_news_is_looked_for_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    no_pauses(monkeypatch)
    reader = Following(NewsFeed(cast(Store, BusyStore([], [(1, "a")]))).follow("ann", 0))

    await idle()

    assert reader.next.done()
    assert await reader.item() == (1, "a")
    await reader.leave()


async def test_only_a_change_of_the_work_of_sub_agents_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    no_pauses(monkeypatch)
    store = FakeStore(works(), works(), works("ses_below"), works("ses_below"), works())
    reader = Following(WorkFeed(cast(Store, store)).follow(["ses_1"]))

    for _ in range(3):
        await idle()
        store.commit(signal(events.TOOL))
    begun, ended = await reader.item(), None
    await idle()
    store.commit(signal(events.TOOL))
    ended = await reader.item()

    assert b'"task_ses_below"' in begun
    assert ended == b'{"session_id":"ses_1","works":{}}'
    await reader.leave()


@pytest.mark.parametrize(
    ("heard", "is_read"),
    [
        (signal(events.TOOL), True),
        (signal(events.TOKEN, events.TOOL), True),
        (signal(events.TOKEN, events.REASONING, events.STEP_ABANDONED), False),
        (Signal(frozenset(["ses_1"])), True),
        (Signal(frozenset(), is_everything=True), True),
    ],
)
async def test_rows_are_read_again_when_something_changes_that_they_show(heard: Signal, is_read: bool) -> None:
    store = FakeStore([("session_row", b"{}")])
    reader = Following(RowFeed(cast(Store, store), Mode.ASK).follow("ann", "ann"))
    await idle()

    store.commit(heard)
    await idle()

    assert (store.reads, reader.next.done()) == ((1, True) if is_read else (0, False))
    await reader.leave()


async def test_a_row_that_changes_again_waits_and_other_rows_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses, now = no_pauses(monkeypatch), [100.0]
    monkeypatch.setattr(row_feed, "time", SimpleNamespace(monotonic=lambda: now[0]))
    store = FakeStore([("a", b"1")], [("b", b"2")], [("c", b"3")])
    reader = Following(RowFeed(cast(Store, store), Mode.ASK).follow("ann", "ann"))
    await idle()

    store.commit(Signal(frozenset(["ses_1"])))
    assert await reader.item() == ("a", b"1")
    store.commit(Signal(frozenset(["ses_2"])))
    assert await reader.item() == ("b", b"2")
    assert pauses == []
    await idle()
    now[0] += 0.05
    store.commit(Signal(frozenset(["ses_1"])))
    await idle()
    now[0] += 0.2
    await idle()

    assert pauses[0] == pytest.approx(0.2)
    await reader.leave()


async def test_a_row_that_has_to_wait_is_sent_after_another_that_has_not(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses, now = no_pauses(monkeypatch), [100.0]
    monkeypatch.setattr(row_feed, "time", SimpleNamespace(monotonic=lambda: now[0]))
    store = FakeStore([("a", b"1")], [("b", b"2")], [("a", b"3")])
    reader = Following(RowFeed(cast(Store, store), Mode.ASK).follow("ann", "ann"))
    await idle()
    store.commit(Signal(frozenset(["ses_1"])))
    assert await reader.item() == ("a", b"1")

    store.commit(Signal(frozenset(["ses_1", "ses_2"])))
    assert (await reader.item(), pauses) == (("b", b"2"), [])
    now[0] += 0.25
    await idle()

    assert reader.next.done()
    assert await reader.item() == ("a", b"3")
    await reader.leave()
