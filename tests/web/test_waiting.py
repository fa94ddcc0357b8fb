"""Waiting notices are listed with the reason, and delivered when it is gone."""

from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from tests.engine.kit import task_for
from tests.web.kit import QUICK, Served, served
from wakeful.model.session import Address, Session
from wakeful.store.base import Transaction
from wakeful.store.sqlite.store import SqliteStore


@pytest.fixture
async def web(store: SqliteStore, tmp_path: Path) -> AsyncIterator[Served]:
    settings = replace(QUICK, wake_budget_per_hour=1)
    async with served(store, tmp_path, settings=settings) as web:
        yield web


async def with_tasks(web: Served, *names: str) -> str:
    """Make an idle session that has started these jobs."""
    session_id = await web.new_session()
    turn_id = await web.say(session_id, "work")
    await web.running(turn_id)
    for name in names:
        await web.begin_task(turn_id, name)
    web.agent.order(turn_id, "finish")
    await web.finished(turn_id)
    return session_id


async def test_a_spent_budget_is_shown_with_the_time_until_which_notices_wait(web: Served) -> None:
    session_id = await with_tasks(web, "p1", "p2")
    await web.end_task("p1")
    woken = (await web.shown(session_id))["active"]["turn_id"]
    web.agent.order(woken, "finish")
    await web.finished(woken)

    async with web.stream("/api/session/stream", session_id=session_id) as reader:
        await web.end_task("p2", 5)
        waits = (await reader.until("wake_waits"))[-1]

    (waiting,) = (await web.shown(session_id))["pending_notices"]
    assert (waiting["task_id"], waiting["exit_code"], waiting["why"]) == ("p2", 5, "budget")
    assert (waits.data["session_id"], waits.data["until"]) == (session_id, waiting["until"])
    assert waiting["until"].endswith("Z")


async def test_notices_of_a_session_without_credentials_wait_until_the_model_is_changed(web: Served) -> None:
    session_id = await with_tasks(web, "p1")
    await web.finished(await web.say(session_id, "again", "refuse"))

    await web.end_task("p1")
    waiting = (await web.shown(session_id))["pending_notices"]
    await web.patch("/api/session", {"session_id": session_id, "model": "demo:other"})

    assert [notice["why"] for notice in waiting] == ["blocked"]
    shown = await web.shown(session_id)
    assert (shown["pending_notices"], shown["active"]["source"]) == ([], "process_wakeup")


async def test_a_notice_that_waits_for_the_running_turn_is_shown_too(web: Served) -> None:
    session_id = await with_tasks(web, "p1")
    turn_id = await web.say(session_id, "busy")
    await web.running(turn_id)

    await web.end_task("p1")

    for wait_until in (None, 77.5):  # a wait that is over holds nothing back
        await web.store.write(partial(_wait, session_id, wait_until), lock=[session_id])
        (waiting,) = (await web.shown(session_id))["pending_notices"]
        assert (waiting["why"], waiting["until"]) == ("busy", None)


async def _wait(session_id: str, until: float | None, tx: Transaction) -> None:
    await tx.sessions.wake_later(session_id, until)


async def test_the_session_of_a_delegation_names_its_parent_and_is_not_in_the_list(web: Served) -> None:
    session_id = await with_tasks(web)

    async def body(tx: Transaction) -> None:
        await tx.tasks.add_if_absent(replace(task_for(session_id, "turn", "del_1"), owner="ann"))
        await tx.sessions.create_if_absent(Session("ses_child", "ann", Address("web"), task_id="del_1"))

    await web.store.write(body, lock=[session_id])

    child = (await web.shown("ses_child"))["session"]
    listed = [row["session_id"] for row in (await web.get("/api/sessions")).json["sessions"]]
    assert child["parent"] == {"session_id": session_id, "task_id": "del_1"}
    assert listed == [session_id]
