"""Which sessions get a title of a model, and what is counted for it."""

import asyncio
import logging
from typing import Any

import pytest

from tests.engine.kit import FakeClock
from tests.patience import PATIENCE
from tests.store.nouns import an_input, close_turn, have_session, have_turn
from wakeful.engine.upkeep import titles as makers
from wakeful.engine.upkeep.titles import Titles
from wakeful.errors import ConfigError, ModelError
from wakeful.model.event import Event
from wakeful.model.journal.entry import Entry, answer_entry
from wakeful.model.journal.fact import Answered
from wakeful.model.journal.message import AssistantMessage, Usage
from wakeful.model.session import Address, Session, TitleOrigin
from wakeful.model.spend import Spend
from wakeful.store.base import Signal
from wakeful.store.sqlite.store import SqliteStore

PAGE = Address("web")
COST = Spend(20, 4, 0.25)


class Model:
    def __init__(self, answer: str | Exception = "Sheep") -> None:
        self.answer = answer
        self.asked: list[tuple[str, str, str]] = []

    async def ask(self, model: str, said: str, answered: str) -> tuple[str, Spend]:
        self.asked.append((model, said, answered))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer, COST


def said(index: int, text: str) -> Entry:
    return an_input("t1", text, index)


def answered(step: int, text: str) -> Entry:
    return answer_entry("t1", Answered(step, AssistantMessage(text), Usage(1, 1)))


async def have_answer(store: SqliteStore, *entries: Entry, **changes: Any) -> None:
    of_page: dict[str, Any] = {"address": PAGE, "title": "count", "title_origin": TitleOrigin.WORDS}
    await have_session(store, "s1", **(of_page | changes))
    await have_turn(store, model="demo:of_turn")
    given = entries or (said(0, "count the sheep"), answered(1, "three"))
    await store.write(lambda tx: tx.journal.add(list(given)), lock=["s1"])
    await close_turn(store, "t1", checkpoint="t1")


async def session_in(store: SqliteStore) -> Session:
    session = await store.read(lambda tx: tx.sessions.get("s1"))
    assert session is not None
    return session


async def test_a_model_is_asked_about_the_last_message_and_answer(store: SqliteStore, clock: FakeClock) -> None:
    await have_answer(store, said(0, "count"), said(1, "the sheep"), answered(1, "one"), answered(2, "three"))
    model = Model(" Sheep\n")

    await Titles(store, model.ask, clock).improve("s1")

    assert model.asked == [("demo:model", "the sheep", "three")]
    session = await session_in(store)
    assert (session.title, session.title_origin, session.title_tries) == ("Sheep", TitleOrigin.MODEL, 1)
    assert session.spend.usd == COST.usd
    (updated,) = await store.read(lambda tx: tx.events.of_session("s1", 0, 9))
    assert (updated.kind, updated.data) == ("session-updated", {"session_id": "s1", "changed": ["title"]})


async def test_the_model_of_the_turn_is_asked_where_the_session_has_none(store: SqliteStore, clock: FakeClock) -> None:
    await have_answer(store, said(0, "count the sheep"), model="")
    model = Model()

    await Titles(store, model.ask, clock).improve("s1")

    assert model.asked == [("demo:of_turn", "count the sheep", "")]


@pytest.mark.parametrize(
    "changes",
    [
        {"address": Address("api_server")},
        {"is_listed": False},
        {"task_id": "k"},
        {"title_origin": TitleOrigin.USER},
        {"title_origin": TitleOrigin.MODEL},
        {"title_tries": 2},
        {"purge_at": 5.0},
    ],
)
async def test_other_sessions_keep_their_title(
    store: SqliteStore, clock: FakeClock, changes: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    deleted = changes.pop("purge_at", None)
    tries = changes.pop("title_tries", 0)
    await have_answer(store, **changes)
    for _ in range(tries):
        await store.write(lambda tx: tx.sessions.count_title_try("s1"), lock=["s1"])
    if deleted is not None:
        await store.write(lambda tx: tx.sessions.delete("s1", 9e9), lock=["s1"])
    model = Model()
    with monkeypatch.context() as patch:
        # A read is enough to see it.
        patch.setattr(store, "write", None)
        await Titles(store, model.ask, clock).improve("s1")
    # Nor is it asked if the session has become so after the first look.
    assert await store.write(makers._count_try("s1"), lock=["s1"]) is None

    assert model.asked == []
    assert (await session_in(store)).title_tries == tries


@pytest.mark.parametrize("has_message", [True, False])
async def test_a_session_without_a_message_or_an_answered_turn_is_not_asked_about(
    store: SqliteStore, clock: FakeClock, has_message: bool
) -> None:
    if has_message:
        await have_session(store, address=PAGE, title_origin=TitleOrigin.WORDS)
    else:
        await have_answer(store, answered(1, "three"))
    model = Model()

    await Titles(store, model.ask, clock).improve("s1")
    await Titles(store, model.ask, clock).improve("gone")

    assert model.asked == []
    assert (await session_in(store)).title_tries == 0
    assert await store.write(makers._count_try("gone"), lock=["gone"]) is None


@pytest.mark.parametrize("error", [ModelError("down", code="model_unavailable"), ConfigError("no key"), TimeoutError()])
async def test_a_model_that_fails_is_asked_twice_at_most(
    store: SqliteStore, clock: FakeClock, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    await have_answer(store)
    model = Model(error)
    titles = Titles(store, model.ask, clock)
    with caplog.at_level(logging.INFO):
        for _ in range(3):
            await titles.improve("s1")

    assert len(model.asked) == 2
    session = await session_in(store)
    assert (session.title, session.title_tries, session.spend.usd) == ("count", 2, 0.0)
    assert (str(error) or "too slow") in caplog.text


@pytest.mark.parametrize(("title", "late"), [("", None), ("Sheep", "deleted"), ("Sheep", "named"), ("Sheep", "purged")])
async def test_a_title_that_is_empty_or_too_late_costs_and_names_nothing(
    store: SqliteStore, title: str, late: str | None
) -> None:
    await have_answer(store)
    if late == "deleted":
        await store.write(lambda tx: tx.sessions.delete("s1", 9e9), lock=["s1"])
    if late == "named":
        await store.write(lambda tx: tx.sessions.name("s1", "Mine", TitleOrigin.USER), lock=["s1"])
    session_id = "s2" if late == "purged" else "s1"

    await store.write(makers._name(session_id, title, COST), lock=[session_id])

    session = await session_in(store)
    assert session.title == ("Mine" if late == "named" else "count")
    assert session.spend.usd == (0.0 if late == "purged" else COST.usd)
    assert await store.read(lambda tx: tx.events.of_session("s1", 0, 9)) == []


async def test_a_model_that_does_not_answer_is_not_waited_for(
    store: SqliteStore, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(makers, "_SECONDS", 0.01)
    await have_answer(store)

    async def never(*_: str) -> tuple[str, Spend]:
        await asyncio.Event().wait()
        raise AssertionError

    await asyncio.wait_for(Titles(store, never, clock).improve("s1"), PATIENCE)

    assert (await session_in(store)).title == "count"


def done(session_id: str, turn_seq: int | None, kind: str = "done") -> Event:
    return Event(session_id, 9, "t", turn_seq, kind, b"{}", 0.0)


async def test_a_title_is_thought_of_after_each_answer_in_turn(store: SqliteStore, clock: FakeClock) -> None:
    titles = Titles(store, Model().ask, clock)
    improved: list[str] = []

    async def improve(session_id: str) -> None:
        improved.append(session_id)
        if session_id == "s1":
            raise ZeroDivisionError("a bug")

    titles.improve = improve  # type: ignore[method-assign]
    events = (done("started", 3, "usage"), done("withdrawn", 1))
    store.notifier.publish(Signal(frozenset(), events=events))
    assert not titles.job._changed.is_set()
    store.notifier.publish(Signal(frozenset(), events=(done("unnumbered", None), done("s1", 2), done("s2", 3))))
    assert titles.job._changed.is_set()

    await titles.job.look()
    await titles.sweep()

    assert improved == ["s1", "s2"]
    assert (titles.job._wait, titles.job.counts.failures) == (None, 0)
    clock.advance(60.0)
