"""Schedules over the web: made, listed, changed, fired, and whose they are."""

from typing import Any

import pytest

from tests.web.kit import Reply, Served

DAILY = {"schedule": "0 9 * * *", "prompt": "Say hello.", "timezone": "Europe/Berlin"}


async def make(web: Served, who: str = "ann", **fields: Any) -> Any:
    reply = await web.post("/api/cron", DAILY | fields, who)
    assert reply.status == 201, reply.json
    return reply.json


async def names(web: Served, who: str) -> list[str]:
    return [job["name"] for job in (await web.get("/api/cron", who)).json["jobs"]]


async def delete(web: Served, path: str, who: str) -> Reply:
    return await web.request("DELETE", path, who)


async def test_a_job_is_made_with_defaults_and_listed(web: Served) -> None:
    job = await make(web, name="morning")

    assert job | {"id": "", "next_at": ""} == {
        "id": "",
        "name": "morning",
        "schedule": "0 9 * * *",
        "timezone": "Europe/Berlin",
        "prompt": "Say hello.",
        "deliver": None,
        "model": "",
        "fresh": False,
        "status": "active",
        "next_at": "",
        "last_at": None,
        "last_status": None,
        "catch_up_seconds": 3600.0,
    }
    assert (await web.get("/api/cron")).json == {"jobs": [job]}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("schedule", "every"),
        ("schedule", "every 10s"),
        ("schedule", "at 1999-01-01T00:00:00Z"),
        ("timezone", "Europe/Nowhere"),
        ("deliver", "telegram"),
        ("prompt", " "),
        ("model", "nobody:knows"),
        ("name", "two\nlines"),
        ("name", "next"),
        ("name", "cron_" + 32 * "0"),
        ("catch_up_seconds", -1),
        ("fresh", "yes"),
    ],
)
async def test_a_refusal_names_the_field_that_is_wrong(web: Served, field: str, value: Any) -> None:
    made = await web.post("/api/cron", DAILY | {field: value}, "operator")
    job = await make(web, "operator")
    changed = await web.patch(f"/api/cron/{job['id']}", {field: value}, "operator")

    for reply in (made, changed):
        assert (reply.status, reply.code) == (400, "invalid_request")
        assert field in reply.json["error"]["message"]


async def test_a_refused_platform_is_told_which_there_are(web: Served) -> None:
    refused = await web.post("/api/cron", DAILY | {"deliver": "slack:C1"}, "operator")

    assert (refused.status, refused.code) == (400, "invalid_request")
    assert "deliver: slack is not configured here; these are: telegram." in refused.json["error"]["message"]


async def test_a_name_is_an_id_and_is_given_once(web: Served) -> None:
    job = await make(web, name="morning")
    await make(web, "bob", name="morning")

    again = await web.post("/api/cron", DAILY | {"name": "morning"})
    runs = await web.get("/api/cron/morning/runs")

    assert (again.status, "name" in again.json["error"]["message"]) == (400, True)
    assert runs.json == {"runs": []}
    assert (await web.patch("/api/cron/morning", {"prompt": "Bye."})).json["id"] == job["id"]


async def test_a_job_is_paused_resumed_changed_and_removed(web: Served) -> None:
    job = await make(web)
    path = f"/api/cron/{job['id']}"

    paused = (await web.patch(path, {"paused": True})).json
    resumed = (await web.patch(path, {"paused": False, "prompt": "Bye."})).json
    changed = (await web.patch(path, {"schedule": "30 9 * * *"})).json
    removed = await delete(web, path, "ann")

    assert (paused["status"], paused["next_at"]) == ("paused", None)
    assert (resumed["status"], resumed["next_at"], resumed["prompt"]) == ("active", job["next_at"], "Bye.")
    assert changed["next_at"][11:16] in ("07:30", "08:30")
    assert (removed.status, await names(web, "ann")) == (200, [])
    assert (await delete(web, path, "ann")).status == 404


async def test_a_job_is_fired_now_and_its_run_is_listed(web: Served) -> None:
    job = await make(web)

    run = (await web.post(f"/api/cron/{job['id']}/run", {})).json
    web.agent.order(run["turn_id"], "finish")
    await web.finished(run["turn_id"])

    assert (run["status"], run["manual"], run["reason"]) == ("running", True, None)
    (listed,) = (await web.get(f"/api/cron/{job['id']}/runs")).json["runs"]
    assert listed == run | {"status": "done"}
    (job,) = (await web.get("/api/cron", last_runs="1")).json["jobs"]
    assert (job["last_status"], job["last_run"]) == ("done", listed)
    assert (await web.shown(run["session_id"]))["session"]["title"] == "Say hello."


async def test_jobs_belong_to_their_maker_and_those_with_a_target_to_the_operator(web: Served) -> None:
    await make(web, name="of ann")
    await make(web, "bob", name="of bob")
    target = await make(web, "operator", name="of all", deliver="telegram:-100:7")

    assert target["deliver"] == "telegram:-100:7"
    assert await names(web, "ann") == ["of ann"]
    assert await names(web, "operator") == ["of ann", "of bob", "of all"]
    for reply in (
        await web.post("/api/cron", DAILY | {"deliver": "telegram:1"}),
        await web.patch("/api/cron/of ann", {"deliver": "telegram:1"}),
        await delete(web, f"/api/cron/{target['id']}", "ann"),
    ):
        assert (reply.status, reply.code) == (403, "not_allowed")
    bobs = (await web.get("/api/cron", "bob")).json["jobs"][0]["id"]
    assert (await web.get(f"/api/cron/{bobs}/runs")).status == 404
    assert (await web.get(f"/api/cron/{bobs}/runs", "operator")).status == 200


async def test_the_times_of_a_schedule_are_told_without_a_job(web: Served) -> None:
    query = {"schedule": "30 2 * * *", "timezone": "Europe/Berlin", "from": "2027-03-27T12:00:00Z"}

    times = (await web.get("/api/cron/next", count="2", **query)).json["times"]
    wrong = await web.get("/api/cron/next", **query | {"from": "yesterday"})

    assert times == ["2027-03-28T01:00:00.000Z", "2027-03-29T00:30:00.000Z"]
    assert (wrong.status, "from" in wrong.json["error"]["message"]) == (400, True)
