"""How schedules and their runs look in a list, and how one is found."""

from typing import Any

import pytest

from tests.unit.cli.scripted_server import ScriptedServer
from wakeful.cli.lists.cron_list import find_job, job_lines, run_lines
from wakeful.cli.plain_text import clock_time
from wakeful.errors import JobNotFound

_AT = "2026-01-05T10:00:00.000Z"


def job(**more: Any) -> dict[str, Any]:
    base = {"id": "job_01aaaaaa", "name": "", "schedule": "@daily", "timezone": "UTC", "status": "active"}
    return base | {"next_at": _AT, "last_status": None, "deliver": "", "prompt": "Say hello."} | more


def run(**more: Any) -> dict[str, Any]:
    base = {"fire_at": _AT, "manual": False, "status": "done", "reason": "", "late_seconds": None, "session_id": ""}
    return base | more


@pytest.mark.parametrize(
    ("more", "first", "second"),
    [
        ({}, f"job_01aaaaaa: @daily (UTC), next {clock_time(_AT)}", "    Say hello."),
        ({"next_at": None, "status": "paused"}, "job_01aaaaaa: @daily (UTC), paused", "    Say hello."),
        (
            {"name": "a\x1b[2J", "last_status": "failed", "deliver": "telegram:7"},
            f"job_01aaaaaa a: @daily (UTC), next {clock_time(_AT)}, last run failed",
            "    Say hello. → telegram:7",
        ),
        ({"prompt": "x" * 60}, f"job_01aaaaaa: @daily (UTC), next {clock_time(_AT)}", f"    {'x' * 60}"),
        ({"prompt": "x" * 61}, f"job_01aaaaaa: @daily (UTC), next {clock_time(_AT)}", f"    {'x' * 59}…"),
    ],
)
def test_a_schedule_is_two_lines(more: dict[str, Any], first: str, second: str) -> None:
    assert job_lines([job(**more)]) == [first, second]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({}, ": done"),
        ({"manual": True, "status": "failed", "reason": "No\ncredit."}, " by hand: failed (No credit.)"),
        ({"late_seconds": 0.9, "session_id": "ses_1"}, ": done, session ses_1"),
        ({"late_seconds": 1.0}, ": done, 1.0 s late"),
        ({"late_seconds": 75.0}, ": done, 1 min 15 s late"),
    ],
)
def test_a_run_is_one_line(more: dict[str, Any], words: str) -> None:
    assert run_lines([run(**more)]) == [f"{_AT}{words}"]


async def test_a_schedule_is_found_by_its_name_or_a_part_of_its_id() -> None:
    jobs = [job(id="job_01aaaaaa"), job(id="job_01bbbbbb", name="morning"), job(id="job_01cccccc", name="01aaaaaa")]
    server = ScriptedServer({"GET /api/cron": {"jobs": jobs}})

    assert await find_job(server, "morning") == "job_01bbbbbb"
    assert await find_job(server, "bbbbbb") == "job_01bbbbbb"
    # A name that someone gave comes before an id.
    assert await find_job(server, "01aaaaaa") == "job_01cccccc"
    for name in ("nobody", ""):
        with pytest.raises(JobNotFound, match=f"There is no schedule {name}"):
            await find_job(server, name)
