"""Routes of tasks and of the timeline: whose tasks, in which order, and which notices."""

from types import SimpleNamespace
from typing import Any, cast

import orjson
import pytest
from starlette.requests import Request

from tests.store.nouns import a_row, a_session, a_task, a_turn
from wakeful.model.inbox import RowKind
from wakeful.model.journal.entry import Entry, EntryKind
from wakeful.model.packed_json import pack
from wakeful.model.tasks.task import LogPage, Task, TaskStatus
from wakeful.web.tasks.routes import TaskRoutes
from wakeful.web.timeline.routes import TimelineRoutes
from wakeful.web.web import Web

RUNNING = a_task("running")
ENDED = a_task("ended", status=TaskStatus.EXITED, exit_code=0, ended_at=50.0)
OLD = a_task("old", status=TaskStatus.FAILED, exit_code=2, ended_at=45.0)


class Processes:
    def __init__(self) -> None:
        self.asked: list[Any] = []

    async def kill_task(self, task: Task) -> bool:
        self.asked.append(("kill", task.id))
        return True

    async def read_log(self, task: Task, offset: int) -> LogPage:
        self.asked.append(("log", task.id, offset))
        return LogPage("words", offset, offset + 5, False)

    def progress(self, task: Task) -> int:
        return 40


class Rooms:
    """Stands in for the web and its transaction."""

    def __init__(self, **tables: Any) -> None:
        self.tasks = Processes()
        self.store = self
        self._tx = SimpleNamespace(now=self._now, **tables)

    async def read(self, body: Any) -> Any:
        return await body(self._tx)

    async def require_session(self, tx: Any, request: Request, session_id: str) -> Any:
        assert (tx, request.state.principal) == (self._tx, "ann")
        return a_session(session_id)

    async def find_session(self, request: Request, session_id: str) -> Any:
        return await self.require_session(self._tx, request, session_id)

    async def require_task(self, tx: Any, request: Request, task_id: str) -> Task:
        assert (tx, request.state.principal) == (self._tx, "ann")
        return {"running": RUNNING, "ended": ENDED}[task_id]

    def owner_seen_by(self, request: Request) -> str:
        return str(request.state.principal)

    async def _now(self) -> float:
        return 100.0


def asking(query: str = "", task_id: str = "", body: Any = None) -> Request:
    async def receive() -> Any:
        return {"type": "http.request", "body": orjson.dumps(body)}

    scope = {"query_string": query.encode(), "path_params": {"task_id": task_id}, "state": {"principal": "ann"}}
    return Request({"type": "http", "headers": [], **scope}, receive)


def rooms_with_tasks() -> Rooms:
    async def page(owner: str, *, limit: int) -> list[Task]:
        assert owner == "ann"
        return [RUNNING, ENDED, OLD][:limit]

    async def recent(session_id: str, *, ended: int) -> list[Task]:
        # All that run, and so many that have ended.
        assert session_id == "s1"
        return [RUNNING, *[ENDED, OLD][:ended]]

    return Rooms(tasks=SimpleNamespace(page=page, recent=recent))


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("", ["running", "ended", "old"]),
        ("limit=2", ["running", "ended"]),
        ("limit=0", ["running"]),
        ("session_id=s1", ["running", "ended", "old"]),
        ("session_id=s1&limit=2", ["running", "ended"]),
    ],
)
async def test_tasks_are_listed_up_to_a_limit(query: str, ids: list[str]) -> None:
    answer = await TaskRoutes(cast(Web, rooms_with_tasks())).page(asking(query))

    tasks = orjson.loads(answer.body)["tasks"]
    assert [task["id"] for task in tasks] == ids
    assert [task["progress"] for task in tasks] == [40, *[None] * (len(ids) - 1)]


async def test_a_task_is_shown_read_and_ended() -> None:
    rooms = rooms_with_tasks()
    routes = TaskRoutes(cast(Web, rooms))

    shown = orjson.loads((await routes.show(asking(task_id="running"))).body)
    logs = [orjson.loads((await routes.log(asking(query, "ended"))).body) for query in ("", "offset=7", "offset=-1")]
    killed = orjson.loads((await routes.kill(asking(task_id="running"))).body)

    assert (shown["id"], shown["progress"], killed) == ("running", 40, {"ok": True})
    assert rooms.tasks.asked == [("log", "ended", 0), ("log", "ended", 7), ("log", "ended", 0), ("kill", "running")]
    assert logs[1] == {"output": "words", "offset": 7, "next_offset": 12, "ended": False}


async def test_an_acknowledgement_is_taken_and_does_nothing() -> None:
    body = {"session_id": "s1", "process_id": "running"}

    answer = await TaskRoutes(cast(Web, rooms_with_tasks())).acknowledge(asking(body=body))

    assert orjson.loads(answer.body) == {"ok": True, "noop": True, **body}


def notice(turn_id: str, at: float, **more: Any) -> Entry:
    told = {"task_id": f"task_{turn_id}", "latency_ms": 1500, "delivered": "opened", **more}
    return Entry(turn_id, 0, 0, EntryKind.INPUT, pack({"text": "", "notice": told}), at)


async def test_the_timeline_has_turns_tasks_and_notices_in_the_order_of_time() -> None:
    asked: list[Any] = []

    async def recent_turns(session_id: str, limit: int) -> list[Any]:
        asked.append((session_id, limit))
        return [a_turn("t3"), a_turn("t2"), a_turn("t1")]

    async def inputs_of(turn_ids: list[str]) -> list[Entry]:
        asked.append(turn_ids)
        said = Entry("t1", 0, 0, EntryKind.INPUT, pack({"text": "hi"}), 20.0)
        return [notice("t3", 40.0, kind="watch"), said, notice("t2", 30.0)]

    async def pending(session_id: str) -> list[Any]:
        waiting = pack({"text": "", "notice": {"task_id": "waits", "kind": "delegation"}})
        return [
            a_row("m1"),
            a_row("n1", kind=RowKind.NOTICE, payload=waiting, created_at=60.0),
            a_row("n2", kind=RowKind.NOTICE),
            a_row("m2", payload=waiting),
        ]

    async def recent_tasks(session_id: str, *, ended: int) -> list[Task]:
        asked.append((session_id, ended))
        return [RUNNING, ENDED, OLD]

    rooms = Rooms(
        turns=SimpleNamespace(recent=recent_turns),
        journal=SimpleNamespace(inputs_of=inputs_of),
        inbox=SimpleNamespace(pending=pending),
        tasks=SimpleNamespace(recent=recent_tasks),
    )
    answer = await TimelineRoutes(cast(Web, rooms)).show(asking("session_id=s1&limit=5"))

    line = orjson.loads(answer.body)
    assert asked == [("s1", 5), ["t1", "t2", "t3"], ("s1", 5)]
    assert [turn["turn_id"] for turn in line["turns"]] == ["t1", "t2", "t3"]
    assert [task["id"] for task in line["tasks"]] == ["old", "ended", "running"]
    assert [(told["task_id"], told["kind"], told["turn_id"], told["delivered"]) for told in line["notices"]] == [
        ("task_t2", "process", "t2", "opened"),
        ("task_t3", "watch", "t3", "opened"),
        ("waits", "delegation", None, None),
    ]
    assert [(told["posted_at"][17:], told["at"] and told["at"][17:]) for told in line["notices"]] == [
        ("28.500Z", "30.000Z"),
        ("38.500Z", "40.000Z"),
        ("00.000Z", None),
    ]
    assert line["now"] == "1970-01-01T00:01:40.000Z"
