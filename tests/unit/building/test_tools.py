"""The tools of a built engine: each reaches the part that does its work."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.endpoint import Endpoint, Script
from tests.patience import PATIENCE
from tests.unit.building.kit import config_in
from wakeful.app import running_engine
from wakeful.building.engine import Running
from wakeful.engine.inbox.submission import Submission
from wakeful.gateway.platforms.api_server import APIServerAdapter
from wakeful.gateway.platforms.local import WebAdapter
from wakeful.model.approvals.approval import Choice
from wakeful.model.event import APPROVAL_REQUIRED, FINAL_KINDS, Event
from wakeful.model.session import Address
from wakeful.model.turn import Door
from wakeful.store.base import Signal

_MODEL = "scripted:one"
_WEB = WebAdapter.door()
_API = APIServerAdapter.door()


async def results_of(
    home: Path, calls: Sequence[tuple[str, Mapping[str, Any]]], *, door: Door = _WEB, **settings: str
) -> list[str]:
    """Let an agent make calls, one in each turn, deny what it asks for, and return the results."""
    scripts = [Script(calls=[{"name": name, "arguments": arguments}]) for name, arguments in calls]
    async with Endpoint([one for script in scripts for one in (script, Script(text="Done."))]) as endpoint:
        table = f'[providers.scripted]\nbase_url = "{endpoint.url}"\napi_key = "sk-scripted"\n'
        config = config_in(home, table, MODEL=_MODEL, **settings)
        async with running_engine(config, adopts=False) as running:
            await _say(running, config.workspace, door, [f"Step {number}." for number in range(len(calls))])
        return [message["content"] for message in endpoint.bodies[-1]["messages"] if message["role"] == "tool"]


async def _say(running: Running, workspace: Path, door: Door, messages: Sequence[str]) -> None:
    news: asyncio.Queue[Event] = asyncio.Queue()

    def hear(signal: Signal) -> None:
        for event in signal.events:
            if event.session_id == session.id and event.kind in {*FINAL_KINDS, APPROVAL_REQUIRED}:
                news.put_nowait(event)

    engine, address = running.engine, Address(door.name)
    session = await engine.create_session("operator", address, _MODEL, str(workspace))
    running.store.notifier.listen(hear)
    for words in messages:
        await engine.submit(Submission(session.id, words, door, address, words, _MODEL))
        async with asyncio.timeout(PATIENCE):
            while (event := await news.get()).kind == APPROVAL_REQUIRED:
                await engine.approvals.answer(session.id, event.data["call_id"], Choice.DENY)


async def test_an_agent_writes_changes_finds_and_shows_a_file(tmp_path: Path) -> None:
    results = await results_of(
        tmp_path,
        [
            ("write_file", {"path": "notes.txt", "content": "one\n"}),
            ("edit_file", {"path": "notes.txt", "old_text": "one", "new_text": "two"}),
            ("list_files", {}),
            ("read_file", {"path": "notes.txt"}),
            ("search_files", {"pattern": "t.o"}),
            ("show_file", {"path": "notes.txt"}),
        ],
    )

    assert results[0].startswith("Wrote 4 bytes to notes.txt")
    assert results[1].startswith("Changed notes.txt: +1 -1.")
    assert results[2:] == ["notes.txt  4 bytes", "two\n", "notes.txt:1:two", '{"shown":"notes.txt"}']


async def test_an_agent_plans_remembers_and_delegates(tmp_path: Path) -> None:
    todo, jobs, found, page, delegated = map(
        orjson.loads,
        await results_of(
            tmp_path,
            [
                ("todo", {"items": [{"id": "1", "text": "rest"}]}),
                ("cronjob", {"action": "list"}),
                ("session_search", {"query": "step"}),
                ("web_fetch", {"url": "http://127.0.0.1:9/"}),
                ("delegate_task", {"goal": "count to 3", "model": "demo:wakeful"}),
            ],
        ),
    )

    assert todo["items"] == [{"id": "1", "text": "rest", "status": "pending"}]
    assert jobs == {"jobs": []}
    assert found["results"][0]["title"] == "Step 0."
    assert page["code"] == "blocked_address"
    assert delegated["results"][0]["result"] == "1 2 3"


async def test_an_agent_runs_a_command_in_the_background(tmp_path: Path) -> None:
    started, listed = map(
        orjson.loads,
        await results_of(
            tmp_path,
            [("terminal", {"command": "sleep 60", "background": True}), ("process", {"action": "list"})],
        ),
    )

    assert [process["session_id"] for process in listed["processes"]] == [started["session_id"]]


async def test_a_person_is_asked_at_the_page_and_over_the_api_nobody_is_asked_or_shown_anything(tmp_path: Path) -> None:
    calls = [("terminal", {"command": f"rm -rf {tmp_path}/elsewhere"}), ("show_file", {"path": "notes.txt"})]

    (at_page,) = await results_of(tmp_path, calls[:1])
    over_api = await results_of(tmp_path, calls, door=_API)

    assert orjson.loads(at_page)["code"] == "denied"
    assert [orjson.loads(result)["code"] for result in over_api] == ["nobody_to_ask", "unsupported"]


@pytest.mark.parametrize("is_on", [True, False])
async def test_pages_of_the_web_are_read_unless_that_is_off(tmp_path: Path, is_on: bool) -> None:
    async with running_engine(config_in(tmp_path, WEB_FETCH=str(is_on)), adopts=False) as running:
        assert ("web_fetch" in running.tools) is is_on
