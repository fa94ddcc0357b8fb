"""`wakeful tasks`: lists background work, ends a task, prints its output."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import click
import orjson
import pytest

from tests.unit.cli.scripted_server import ScriptedServer, Typist
from wakeful.cli import tasks as module
from wakeful.cli.client import ServerEvent
from wakeful.cli.tasks import tasks
from wakeful.errors import WakefulError

TASK: dict[str, Any] = {
    "id": "proc_01aaaaaa",
    "session_id": "ses_1",
    "kind": "process",
    "status": "running",
    "exit_code": None,
    "command": "make",
    "progress": None,
    "started_at": "2026-01-01T00:00:00.000Z",
    "ended_at": "2026-01-01T00:00:05.000Z",
}


def ended(number: int, task_id: str, name: str = "process_complete") -> ServerEvent:
    return ServerEvent(str(number), name, {"process_id": task_id})


def working(*events: ServerEvent, **answers: Any) -> ScriptedServer:
    known = {
        "GET /api/tasks": {"tasks": [TASK, TASK | {"id": "proc_01bbbbbb"}]},
        "GET /api/tasks/proc_01aaaaaa": TASK,
        "GET /api/session": {"session": {"session_id": "ses_whole"}},
        "POST /api/tasks/proc_01aaaaaa/kill": {},
    }
    return ScriptedServer(known | answers, events)


def test_the_work_of_all_sessions_is_listed(typist: Typist) -> None:
    server = working()

    listed = typist.run(tasks, server)

    assert listed.output.splitlines() == [
        "aaaaaa  process  running    5.0 s  make",
        "bbbbbb  process  running    5.0 s  make",
    ]
    assert server.asked == [("GET /api/tasks", {"limit": 1000, "session_id": ""})]
    # Reading needs no engine that watches processes.
    assert server.adopts is False


def test_the_work_of_one_session_is_listed(typist: Typist) -> None:
    server = working()

    listed = typist.run(tasks, server, "ses_w", "--json")

    assert [task["id"] for task in orjson.loads(listed.output)] == ["proc_01aaaaaa", "proc_01bbbbbb"]
    assert server.asked[-1] == ("GET /api/tasks", {"limit": 1000, "session_id": "ses_whole"})


def test_without_work_it_says_so(typist: Typist) -> None:
    assert (
        typist.run(tasks, ScriptedServer({"GET /api/tasks": {"tasks": []}})).output == "There is no background work.\n"
    )


def test_a_task_is_ended_after_its_session_is_watched_and_until_its_own_end_is_seen(typist: Typist) -> None:
    events = (
        ServerEvent("1", "initial", {}),
        ended(2, "proc_01aaaaaa", "watch_match"),
        ended(3, "proc_01bbbbbb"),
        ended(4, "proc_01aaaaaa"),
        ServerEvent("5", "initial", {}),
    )
    server = working(*events)

    killed = typist.run(tasks, server, "kill", "aaaaaa")

    assert killed.output == "proc_01aaaaaa was ended; no agent is woken by it.\n"
    assert [request for request, _ in server.asked][2:] == [
        "event 1",
        "POST /api/tasks/proc_01aaaaaa/kill",
        *("event 2", "event 3", "event 4"),
    ]
    assert server.asked[2][1] == {"session_id": "ses_1"}
    # Without a server, this command has to adopt the process in order to end it.
    assert server.adopts is True


def test_a_task_that_has_ended_is_not_ended_again(typist: Typist) -> None:
    server = working(**{"GET /api/tasks/proc_01aaaaaa": TASK | {"status": "exited"}})

    refused = typist.run(tasks, server, "kill", "aaaaaa")

    assert isinstance(refused.exception, WakefulError)
    assert str(refused.exception) == "proc_01aaaaaa has ended already."
    assert server.changes() == []


def test_a_task_that_does_not_end_is_left_to_the_server(typist: Typist, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stubborn(ScriptedServer):
        async def events(self, path: str, *, after: str = "", **query: str) -> AsyncGenerator[ServerEvent, None]:
            yield ServerEvent("1", "initial", {})
            await asyncio.Event().wait()

    monkeypatch.setattr(module, "_KILL_SECONDS", 0.01)
    known = {"GET /api/tasks": {"tasks": [TASK]}, "GET /api/tasks/proc_01aaaaaa": TASK}
    server = Stubborn(known | {"POST /api/tasks/proc_01aaaaaa/kill": {}})

    refused = typist.run(tasks, server, "kill", "aaaaaa")

    assert isinstance(refused.exception, WakefulError)
    assert str(refused.exception) == "proc_01aaaaaa has not ended yet; the server keeps trying."


def test_the_output_is_printed_to_its_end(typist: Typist) -> None:
    pages = [
        {"output": "one\n", "next_offset": 4},
        {"output": "\x1b[31mtwo", "next_offset": 12},
        {"output": "", "next_offset": 12},
    ]
    server = working(**{"GET /api/tasks/proc_01aaaaaa/log": pages})

    printed = typist.run(tasks, server, "log", "aaaaaa")

    # A pipe gets it as it is.
    assert printed.output == "one\n\x1b[31mtwo"
    assert [carried["offset"] for request, carried in server.asked if request.endswith("/log")] == [0, 4, 12]


def test_on_a_terminal_the_output_commands_nothing(typist: Typist, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda stream: True, raising=False)
    server = working(**{"GET /api/tasks/proc_01aaaaaa/log": [{"output": "\x1b[2J\x07two", "next_offset": 0}]})

    assert typist.run(tasks, server, "log", "aaaaaa").output == "two"


@pytest.mark.parametrize("words", [["kill"], ["log"], ["ses_1", "ses_2"], ["kill", "a", "b"]])
def test_what_cannot_be_meant_is_refused(typist: Typist, words: list[str]) -> None:
    server = working()

    refused = typist.run(tasks, server, *words)

    assert isinstance(refused.exception, click.UsageError)
    assert server.asked == []
