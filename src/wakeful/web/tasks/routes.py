"""Routes that list and show background work, read its output and end it."""

from dataclasses import asdict
from typing import Annotated, TypeAlias

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wakeful.model.tasks.task import Task
from wakeful.store.base import Transaction
from wakeful.web.fields import Id, MaybeId, clamped, read_body, read_query
from wakeful.web.tasks.task import ShownTask, shown_task, shown_tasks
from wakeful.web.web import Web
from wakeful.wire.answer import JsonAnswer, Ok
from wakeful.wire.declared import Incoming, Outgoing, words
from wakeful.wire.reading import read

_Offset: TypeAlias = Annotated[int, Meta(ge=0)]


class TasksQuery(Incoming):
    session_id: Annotated[MaybeId, words("Only the tasks of this session.")] = ""
    limit: Annotated[int, clamped(1, 1000), words("1 to 1000; 200 by default.")] = 200


class TaskList(Outgoing):
    tasks: list[ShownTask]


class TaskLog(Outgoing):
    output: str
    offset: _Offset
    next_offset: _Offset
    ended: bool


class LogQuery(Incoming):
    offset: Annotated[int, clamped(0, 1 << 53), words("The byte to start at.")] = 0


class Acknowledgement(Incoming):
    session_id: Id
    process_id: Id


class Acknowledged(Outgoing):
    ok: bool = True
    session_id: str
    process_id: str
    noop: bool = True


class _TaskPath(Incoming):
    task_id: Id


class TaskRoutes:
    def __init__(self, web: Web) -> None:
        self._web = web

    def routes(self) -> list[Route]:
        return [
            Route("/api/tasks", self.page, methods=["GET"]),
            Route("/api/tasks/{task_id}", self.show, methods=["GET"]),
            Route("/api/tasks/{task_id}/log", self.log, methods=["GET"]),
            Route("/api/tasks/{task_id}/kill", self.kill, methods=["POST"]),
            Route("/api/process-complete-ack", self.acknowledge, methods=["POST"]),
        ]

    async def page(self, request: Request) -> Response:
        asked = read_query(request, TasksQuery)

        async def body(tx: Transaction) -> list[Task]:
            if not asked.session_id:
                return await tx.tasks.page(self._web.owner_seen_by(request), limit=asked.limit)
            session = await self._web.require_session(tx, request, asked.session_id)
            return await tx.tasks.recent(session.id, ended=asked.limit)

        tasks = await self._web.store.read(body)
        return JsonAnswer(TaskList(tasks=shown_tasks(self._web, tasks[: asked.limit])))

    async def show(self, request: Request) -> Response:
        task = await self._find(request)
        return JsonAnswer(shown_task(self._web, task))

    async def log(self, request: Request) -> Response:
        asked = read_query(request, LogQuery)
        page = await self._web.tasks.read_log(await self._find(request), asked.offset)
        return JsonAnswer(TaskLog(**asdict(page)))

    async def kill(self, request: Request) -> Response:
        await self._web.tasks.kill_task(await self._find(request))
        return JsonAnswer(Ok())

    async def acknowledge(self, request: Request) -> Response:
        """Do nothing, for clients that send it: delivery does not depend on acknowledgements."""
        given = await read_body(request, Acknowledgement)
        session = await self._web.find_session(request, given.session_id)
        return JsonAnswer(Acknowledged(session_id=session.id, process_id=given.process_id))

    async def _find(self, request: Request) -> Task:
        task_id = read(_TaskPath, request.path_params).task_id

        async def body(tx: Transaction) -> Task:
            return await self._web.require_task(tx, request, task_id)

        return await self._web.store.read(body)
