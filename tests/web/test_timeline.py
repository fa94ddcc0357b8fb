"""The timeline: which turns started which tasks, and which tasks woke which turns."""

import asyncio
from typing import Any

from tests.patience import PATIENCE
from tests.web.kit import Served
from wakeful.model.tasks.task import WatchMatch


async def test_turns_tasks_and_notices_stand_on_one_axis(web: Served) -> None:
    session_id = await web.new_session()
    first = await web.say(session_id, "work")
    await web.begin_task(first, "job")
    web.agent.order(first, "finish")
    await web.finished(first)
    await web.end_task("job")
    woken = (await web.shown(session_id))["active"]["turn_id"]

    line = (await web.get("/api/session/timeline", session_id=session_id)).json

    assert [(t["turn_id"], t["number"], t["source"], t["status"]) for t in line["turns"]] == [
        (first, 1, "user", "done"),
        (woken, 2, "process_wakeup", "running"),
    ]
    assert [(t["id"], t["turn_id"], t["woke_turn_id"]) for t in line["tasks"]] == [("job", first, woken)]
    (notice,) = line["notices"]
    assert (notice["task_id"], notice["turn_id"], notice["delivered"], notice["kind"]) == (
        "job", woken, "opened", "process",
    )  # fmt: skip
    assert line["turns"][1]["closed_at"] is None
    assert line["turns"][1]["opened_at"] <= notice["at"] <= line["now"]
    assert line["tasks"][0]["started_at"] <= notice["posted_at"] <= notice["at"]
    assert (await web.get("/api/session/timeline", "bob", session_id=session_id)).status == 404


async def test_a_notice_says_which_turn_has_read_it_how_and_when(web: Served) -> None:
    session_id = await web.new_session()
    first = await web.say(session_id, "work")
    await web.running(first)
    await web.begin_task(first, "joins")
    await web.begin_task(first, "waits")
    await web.end_task("joins")
    web.agent.order(first, "step")
    joined = await _notices_until(web, session_id, "joins")
    await web.end_task("waits")
    await web.say(session_id, "a message that waits is no notice")

    line = (await web.get("/api/session/timeline", session_id=session_id)).json

    read, waiting = line["notices"]
    assert (read["task_id"], read["turn_id"], read["delivered"]) == ("joins", first, "joined")
    assert read == joined
    assert line["turns"][0]["opened_at"] <= read["posted_at"] <= read["at"]
    assert (waiting["task_id"], waiting["turn_id"], waiting["delivered"], waiting["at"]) == ("waits", None, None, None)
    assert read["at"] <= waiting["posted_at"] <= line["now"]
    assert [task["id"] for task in line["tasks"]] == ["joins", "waits"], "in the order in which they began"


async def test_a_match_is_a_separate_notice_while_its_process_runs_on(web: Served) -> None:
    session_id = await web.new_session()
    first = await web.say(session_id, "work")
    await web.begin_task(first, "job")
    web.agent.order(first, "finish")
    await web.finished(first)
    await web.engine.tasks.match("job", WatchMatch("ERROR", "ERROR: no", 10, "[it matched]"), b"{}")

    line = (await web.get("/api/session/timeline", session_id=session_id)).json

    (notice,) = line["notices"]
    assert (notice["kind"], notice["delivered"]) == ("watch", "opened")
    assert notice["turn_id"] == line["turns"][1]["turn_id"]
    assert line["tasks"][0]["ended_at"] is None


async def _notices_until(web: Served, session_id: str, task_id: str) -> Any:
    """Return the notice of this task, as soon as a turn has read it."""
    async with asyncio.timeout(PATIENCE):
        while True:
            line = (await web.get("/api/session/timeline", session_id=session_id)).json
            for notice in line["notices"]:
                if notice["task_id"] == task_id and notice["turn_id"]:
                    return notice
