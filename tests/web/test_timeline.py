"""The timeline: who started what, and who woke whom."""

from tests.web.kit import Served


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
    assert line["now"] >= notice["at"]
    assert (await web.get("/api/session/timeline", "bob", session_id=session_id)).status == 404
