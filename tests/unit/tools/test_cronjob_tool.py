"""What a call of `cronjob` says before it runs."""

from pathlib import Path
from typing import Any, cast

import pytest

from tests.unit.tools.kit import new_turn, run_tool, tool_context
from wakeful.tools.base import Intent
from wakeful.tools.cronjob_tool import CronjobTool
from wakeful.tools.ports import Schedules

# No call here comes as far as the schedules.
TOOL = CronjobTool(cast(Schedules, None))


@pytest.mark.parametrize(
    ("arguments", "command", "reasons"),
    [
        (
            {"action": "add", "schedule": "@daily", "prompt": "look", "name": "x"},
            "cronjob add @daily look",
            ["schedules a prompt that is said to an agent later"],
        ),
        ({"action": "pause", "id": "cron_1"}, "cronjob pause cron_1", ["changes a schedule"]),
        ({"action": "resume", "id": 7}, "cronjob resume 7", ["changes a schedule"]),
        ({"action": "remove", "id": "cron_1", "prompt": ""}, "cronjob remove cron_1", ["removes a schedule"]),
        ({"action": "run", "id": "cron_1"}, "cronjob run cron_1", ["says a scheduled prompt to an agent now"]),
        ({"action": "list"}, "", []),
        ({"action": "dance"}, "", []),
    ],
)
async def test_a_person_is_told_what_it_changes(
    tmp_path: Path, arguments: dict[str, Any], command: str, reasons: list[str]
) -> None:
    intent = await TOOL.intent(arguments, tool_context(tmp_path))

    assert isinstance(intent, Intent)
    assert (intent.command, [reason.reason for reason in intent.reasons]) == (command, reasons)
    assert {reason.kind for reason in intent.reasons} <= {"command"}


async def test_only_a_run_does_harm_the_second_time(tmp_path: Path) -> None:
    again = [
        action
        for action in ("add", "list", "pause", "resume", "remove", "run")
        if await TOOL.may_rerun({"action": action}, tool_context(tmp_path))
    ]

    assert again == ["add", "list", "pause", "resume", "remove"]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({}, "action must be one of add, list, pause, resume, remove, run."),
        ({"action": "dance"}, "action must be one of add, list, pause, resume, remove, run."),
        ({"action": "add"}, "add needs schedule and prompt."),
        ({"action": "add", "schedule": "@daily", "prompt": ""}, "add needs prompt."),
        ({"action": "remove", "id": None}, "remove needs id."),
        ({"action": "run", "id": 7}, "id must be a text."),
        ({"action": "add", "schedule": "@daily", "prompt": ["look"]}, "prompt must be a text."),
    ],
)
async def test_what_a_call_lacks_is_told(tmp_path: Path, arguments: dict[str, Any], error: str) -> None:
    answer, result = await run_tool(TOOL, new_turn(tmp_path), **arguments)

    assert (answer, result.is_error) == ({"error": error, "code": "invalid_arguments"}, True)
