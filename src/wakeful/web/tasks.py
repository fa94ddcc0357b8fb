"""The routes of background work: list it, look at it, end it. A person who looks consumes nothing."""

from dataclasses import asdict

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from wakeful.model.task import Task
from wakeful.model.task_data import task_data
from wakeful.store.base import Transaction
from wakeful.web import fields
from wakeful.web.snapshot import task_list
from wakeful.web.web import Web

_OFFSET_LIMIT = 1 << 53


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
        query = request.query_params
        session_id = fields.identifier(query, "session_id") if query.get("session_id") else None
        limit = fields.number(query, "limit", 200, 1, 1000)

        async def body(tx: Transaction) -> list[Task]:
            if session_id is None:
                return await tx.tasks.page(self._web.owner_seen_by(request), limit=limit)
            session = await self._web.require_session(tx, request, session_id)
            return await tx.tasks.recent(session.id, ended=limit)

        tasks = await self._web.store.read(body)
        return JSONResponse({"tasks": task_list(self._web, tasks)[:limit]})

    async def show(self, request: Request) -> Response:
        task = await self._find(request)
        return JSONResponse(task_data(task, progress=self._web.tasks.progress(task)))

    async def log(self, request: Request) -> Response:
        offset = fields.number(request.query_params, "offset", 0, 0, _OFFSET_LIMIT)
        page = await self._web.tasks.read_log(await self._find(request), offset)
        return JSONResponse(asdict(page))

    async def kill(self, request: Request) -> Response:
        await self._web.tasks.kill_task(await self._find(request))
        return JSONResponse({"ok": True})

    async def acknowledge(self, request: Request) -> Response:
        """For clients that expect to say it: delivery does not depend on anybody's saying anything."""
        given = await fields.read_body(request)
        process_id = fields.identifier(given, "process_id")
        session = await self._web.find_session(request, fields.identifier(given, "session_id"))
        return JSONResponse({"ok": True, "session_id": session.id, "process_id": process_id, "noop": True})

    async def _find(self, request: Request) -> Task:
        task_id = fields.identifier(request.path_params, "task_id")

        async def body(tx: Transaction) -> Task:
            return await self._web.require_task(tx, request, task_id)

        return await self._web.store.read(body)
