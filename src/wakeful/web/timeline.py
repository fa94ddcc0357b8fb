"""A session on one axis: its turns, its background work, and which work woke which turn."""

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from wakeful.model.journal import Entry
from wakeful.model.task import Task
from wakeful.model.task_data import time_text
from wakeful.model.turn import Turn
from wakeful.store.base import Transaction
from wakeful.web import fields
from wakeful.web.messages import turn_outline
from wakeful.web.snapshot import task_list
from wakeful.web.web import Web


class TimelineRoutes:
    def __init__(self, web: Web) -> None:
        self._web = web

    def routes(self) -> list[Route]:
        return [Route("/api/session/timeline", self.show, methods=["GET"])]

    async def show(self, request: Request) -> Response:
        session_id = fields.identifier(request.query_params, "session_id")
        limit = fields.number(request.query_params, "limit", 200, 1, 1000)

        async def body(tx: Transaction) -> tuple[list[Turn], list[Task], list[Entry], float]:
            session = await self._web.require_session(tx, request, session_id)
            turns = (await tx.turns.recent(session.id, limit))[::-1]
            inputs = await tx.journal.inputs_of([turn.id for turn in turns])
            return turns, await tx.tasks.recent(session.id, ended=limit), inputs, await tx.now()

        turns, tasks, inputs, now = await self._web.store.read(body)
        notices = [_notice_form(entry) for entry in inputs if "notice" in entry.data]
        return JSONResponse(
            {
                "turns": [{"turn_id": turn.id} | turn_outline(turn) for turn in turns],
                "tasks": task_list(self._web, tasks[::-1]),
                "notices": sorted(notices, key=lambda notice: str(notice["at"])),
                "now": time_text(now),
            }
        )


def _notice_form(entry: Entry) -> dict[str, Any]:
    notice = entry.data["notice"]
    return {
        "task_id": notice["task_id"],
        "turn_id": entry.turn_id,
        "delivered": notice["delivered"],
        "kind": notice.get("kind", "process"),
        "at": time_text(entry.at),
    }
