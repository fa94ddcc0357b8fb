"""`wakeful cron` as people type it, without a server: each command runs an engine of its own."""

from pathlib import Path

import orjson
import pytest
from click.testing import CliRunner, Result

from tests.unit.cli.scripted_server import ScriptedServer, Typist
from wakeful.cli import command
from wakeful.cli.cron import cron


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAKEFUL_HOME", str(tmp_path))
    # The log of the tests stays as it is.
    monkeypatch.setattr(command, "set_up_log", lambda config: None)


def wakeful_cron(*arguments: str) -> Result:
    return CliRunner().invoke(cron, arguments)


def test_a_schedule_is_added_listed_paused_and_removed() -> None:
    added = wakeful_cron("add", "0 9 * * *", "Say hello.", "--tz", "Europe/Berlin", "--name", "morning", "--fresh")
    job_id = added.output.splitlines()[0]
    paused = wakeful_cron("pause", "morning")
    listed = orjson.loads(wakeful_cron("list", "--json").output)
    removed = wakeful_cron("remove", job_id[-8:])

    assert f"{job_id} morning: 0 9 * * * (Europe/Berlin), paused" in paused.output
    assert [(job["id"], job["fresh"], job["status"]) for job in listed["jobs"]] == [(job_id, True, "paused")]
    assert (removed.exit_code, removed.output) == (0, "It is removed.\n")
    assert wakeful_cron("list").output == "There are no schedules: wakeful cron add makes one.\n"


def test_a_schedule_is_fired_and_its_runs_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAKEFUL_STOP_GRACE_SECONDS", "0")
    wakeful_cron("add", "@daily", "Say hello.", "--name", "hello")

    fired = orjson.loads(wakeful_cron("run", "hello", "--json").output)
    runs = wakeful_cron("runs", "hello")

    assert (fired["manual"], fired["status"]) == (True, "running")
    assert runs.output.startswith(f"{fired['fire_at']} by hand: running")
    assert f"session {fired['session_id']}" in runs.output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["add", "sometimes", "x"], "schedule: 'sometimes' cannot be read"),
        (["add", "@daily", "x", "--tz", "Middle/Earth"], "timezone: There is no time zone"),
    ],
)
def test_what_does_not_fit_is_one_sentence(arguments: list[str], sentence: str) -> None:
    refused = wakeful_cron(*arguments)

    assert refused.exit_code == 1
    assert str(refused.exception).startswith(sentence)


def test_what_is_given_is_what_is_asked_for(typist: Typist) -> None:
    job = {"id": "job_1", "name": "", "schedule": "@daily", "timezone": "UTC", "status": "paused", "next_at": None}
    job |= {"last_status": None, "deliver": None, "prompt": "Hi."}
    server = ScriptedServer({"POST /api/cron": job, "GET /api/cron": {"jobs": [job]}, "PATCH /api/cron/job_1": job})

    added = typist.run(cron, server, "add", "@daily", "Hi.", "--catch-up", "60", "--model", "a:b")
    as_json = typist.run(cron, server, "add", "@daily", "Hi.", "--json")
    resumed = typist.run(cron, server, "resume", "job_1")
    typist.run(cron, server, "pause", "job_1")

    assert added.output.splitlines() == ["job_1", "job_1: @daily (UTC), paused", "    Hi."]
    assert orjson.loads(as_json.output) == job
    given = {"schedule": "@daily", "prompt": "Hi.", "deliver": None, "timezone": None, "name": None, "fresh": False}
    assert server.asked[0] == ("POST /api/cron", given | {"model": "a:b", "catch_up_seconds": 60.0})
    assert resumed.output.splitlines()[0] == "job_1: @daily (UTC), paused"
    assert [body for request, body in server.asked if request.startswith("PATCH")] == [
        {"paused": False},
        {"paused": True},
    ]


def test_a_schedule_without_runs_says_so_and_times_are_asked_for_as_given(typist: Typist) -> None:
    jobs = {"jobs": [{"id": "job_1", "name": ""}]}
    server = ScriptedServer(
        {"GET /api/cron": jobs, "GET /api/cron/job_1/runs": {"runs": []}, "GET /api/cron/next": {"times": ["a", "b"]}}
    )

    assert typist.run(cron, server, "runs", "job_1").output == "It has not fired yet.\n"
    assert typist.run(cron, server, "next", "@daily").output == "a\nb\n"
    assert server.asked[-1][1] == {"schedule": "@daily", "count": 5}
    typist.run(cron, server, "next", "@daily", "--tz", "UTC", "--from", "x", "--count", "1")
    assert server.asked[-1][1] == {"schedule": "@daily", "count": 1, "timezone": "UTC", "from": "x"}
