"""Ten real processes of one session that end together open one turn; each knows the id of its session."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

import pytest

from tests.contract.promising import DOORS, MODEL, say, server_in
from wakeful.engine.inbox.submission import Submission
from wakeful.model import event as events
from wakeful.model.event import Event, StreamItem
from wakeful.model.session import Address
from wakeful.tools.process_registry import process_registry

JOBS = 10
DOOR = DOORS["web"]


async def test_ten_processes_that_end_together_wake_their_session_once(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.contract.promising.SETTINGS", {"WAKEFUL_WAKE_COMPANY_SECONDS": "10"})
    gate = tmp_path_factory.mktemp("gate") / "open"
    command = f"run until [ -e {gate} ]; do sleep 0.01; done; echo $HERMES_SESSION_ID in the background"
    async with server_in(tmp_path, adopts=True) as running:
        session_id = (await say(running, tmp_path, DOOR, command)).session_id
        for number in range(1, JOBS):
            submission = Submission(session_id, command, DOOR, Address(DOOR.name), f"m{number}", MODEL)
            await running.engine.submit(submission)
        async with asyncio.timeout(30), aclosing(running.engine.subscribe(session_id)) as log:
            await _turns_end(log, JOBS)
            gate.touch()
            after = await _turns_end(log, 1)

    notices = [event for event in after if event.kind == events.NOTICE]
    assert len(notices) == JOBS
    assert {event.data["output"] for event in notices} == {f"{session_id}\n"}
    assert all(process_registry.is_completion_consumed(event.data["task_id"]) for event in notices)


async def _turns_end(log: AsyncGenerator[list[StreamItem], None], count: int) -> list[Event]:
    """Return every event up to the end of this many turns."""
    seen: list[Event] = []
    while sum(event.is_final for event in seen) < count:
        seen += [item for item in await anext(log) if isinstance(item, Event)]
    return seen
