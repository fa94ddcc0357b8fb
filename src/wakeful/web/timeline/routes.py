"""The timeline of a session: its turns, its background work, and which turn read which notice, how and when."""

from typing import Annotated, Literal

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wakeful.model.inbox import InboxRow, RowKind
from wakeful.model.journal.entry import Entry
from wakeful.model.tasks.task import Task
from wakeful.model.tasks.task_data import time_text
from wakeful.model.turn import Turn
from wakeful.store.base import Transaction
from wakeful.web.fields import OfSession, clamped, read_query
from wakeful.web.messages.turn import NoticeKind, TurnOutline, outline_of
from wakeful.web.tasks.task import ShownTask, shown_tasks
from wakeful.web.web import Web
from wakeful.wire.answer import JsonAnswer
from wakeful.wire.declared import Outgoing, words


class TimelineQuery(OfSession):
    limit: Annotated[int, clamped(1, 1000), words("1 to 1000 turns; 200 by default.")] = 200


class TimelineTurn(TurnOutline):
    turn_id: str


class TimelineNotice(Outgoing):
    task_id: str
    kind: NoticeKind
    posted_at: Annotated[str, words("When the task ended, or printed a line that was watched for.")]
    turn_id: Annotated[str | None, words("The turn that read it; null while it waits.")] = None
    delivered: Literal["opened", "with_message", "joined"] | None = None
    at: Annotated[str | None, words("When the turn read it.")] = None


class Timeline(Outgoing):
    turns: list[TimelineTurn]
    tasks: list[ShownTask]
    notices: list[TimelineNotice]
    now: str


class TimelineRoutes:
    def __init__(self, web: Web) -> None:
        self._web = web

    def routes(self) -> list[Route]:
        return [Route("/api/session/timeline", self.show, methods=["GET"])]

    async def show(self, request: Request) -> Response:
        asked = read_query(request, TimelineQuery)

        async def body(tx: Transaction) -> tuple[list[Turn], list[Task], list[Entry], list[InboxRow], float]:
            session = await self._web.require_session(tx, request, asked.session_id)
            turns = (await tx.turns.recent(session.id, asked.limit))[::-1]
            inputs = await tx.journal.inputs_of([turn.id for turn in turns])
            pending = await tx.inbox.pending(session.id)
            return turns, await tx.tasks.recent(session.id, ended=asked.limit), inputs, pending, await tx.now()

        turns, tasks, inputs, pending, now = await self._web.store.read(body)
        read = [_read_notice(entry) for entry in inputs if "notice" in entry.data]
        waiting = [_waiting(row) for row in pending if row.kind is RowKind.NOTICE and "notice" in row.data]
        timeline = Timeline(
            turns=[TimelineTurn(turn_id=turn.id, **outline_of(turn)) for turn in turns],
            tasks=shown_tasks(self._web, tasks[::-1]),
            notices=sorted(read, key=lambda notice: str(notice.at)) + waiting,
            now=time_text(now),
        )
        return JsonAnswer(timeline)


def _read_notice(entry: Entry) -> TimelineNotice:
    """Return a notice that a turn has read."""
    notice = entry.data["notice"]
    return TimelineNotice(
        task_id=notice["task_id"],
        kind=notice.get("kind", "process"),
        posted_at=time_text(entry.at - notice["latency_ms"] / 1000),
        turn_id=entry.turn_id,
        delivered=notice["delivered"],
        at=time_text(entry.at),
    )


def _waiting(row: InboxRow) -> TimelineNotice:
    """Return a notice that no turn has read yet."""
    notice = row.data["notice"]
    kind = notice.get("kind", "process")
    return TimelineNotice(task_id=notice["task_id"], kind=kind, posted_at=time_text(row.created_at))
