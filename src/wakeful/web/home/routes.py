"""The route of the home page: what runs, what has reported and what is recent in all sessions of the reader."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wakeful.model import event as events
from wakeful.model.approvals.mode import Mode, mode_of
from wakeful.model.event import News
from wakeful.model.journal.entry import Entry, EntryKind, answer_of, calls_of
from wakeful.model.journal.message import ToolCall
from wakeful.model.tasks.task import Task
from wakeful.model.tasks.task_data import time_text
from wakeful.model.turn import Turn
from wakeful.store.base import Transaction
from wakeful.web.feeds.news import news_fields
from wakeful.web.feeds.rows import marks_of, row_fields
from wakeful.web.home.home import Home, NewsReader, RecentSession, Report, RunningCall, RunningTurn, Work
from wakeful.web.tasks.task import ShownTask, shown_task
from wakeful.web.web import Web
from wakeful.wire.answer import JsonAnswer

_MOST_REPORTED = 50
_RECENT = 8
# The longest quotation of an answer.
_QUOTE_LENGTH = 200

# The id of a turn, and the dedupe key of a notice that it read.
_ReadBy = tuple[str, str]


class HomeRoutes:
    def __init__(self, web: Web) -> None:
        self._web = web

    def routes(self) -> list[Route]:
        return [Route("/api/home", self.show, methods=["GET"])]

    async def show(self, request: Request) -> Response:
        reader: str = request.state.principal

        async def body(tx: Transaction) -> Home:
            return Home(
                running=await self._running(tx, reader),
                reported=await _reported(tx, reader),
                recent=await _recent(tx, reader, self._web.mode),
            )

        return JsonAnswer(await self._web.store.read(body))

    async def _running(self, tx: Transaction, reader: str) -> list[Work]:
        tasks, turns = await tx.tasks.running_of(reader), await tx.turns.running_of(reader)
        titles = await _titles(tx, {task.session_id for task in tasks} | {turn.session_id for turn in turns})
        items = [(task.started_at, self._running_task(task, titles)) for task in tasks]
        items += [(turn.opened_at, await _running_turn(tx, turn, titles)) for turn in turns]
        return [work for _, work in sorted(items, key=lambda item: item[0])]

    def _running_task(self, task: Task, titles: dict[str, str]) -> Work:
        return _work("task", task.session_id, titles, task.started_at, task=shown_task(self._web, task))


async def _running_turn(tx: Transaction, turn: Turn, titles: dict[str, str]) -> Work:
    last = (await tx.journal.last_answers([turn.id])).get(turn.id)
    doing = _Doing(1, None) if last is None else _doing(await tx.journal.of_step(turn.id, last.step))
    call = None if doing.call is None else RunningCall(name=doing.call.name, arguments=doing.call.arguments)
    shown = RunningTurn(turn_id=turn.id, number=turn.number, source=turn.source, step=doing.step, call=call)
    return _work("turn", turn.session_id, titles, turn.opened_at, turn=shown)


@dataclass(frozen=True, slots=True)
class _Doing:
    step: int
    # None: the model is answering.
    call: ToolCall | None


def _doing(entries: Sequence[Entry]) -> _Doing:
    """Return what a turn is doing, given the entries of its newest recorded step."""
    answer = next(entry for entry in entries if entry.kind is EntryKind.ANSWER)
    finished = {entry.index for entry in entries if entry.kind is EntryKind.RESULT}
    for number, call in calls_of(answer):
        if number not in finished:
            return _Doing(answer.step, call)
    return _Doing(answer.step + 1, None)


def _work(
    kind: Literal["task", "turn"],
    session_id: str,
    titles: dict[str, str],
    since: float,
    *,
    task: ShownTask | None = None,
    turn: RunningTurn | None = None,
) -> Work:
    started_at = time_text(since)
    return Work(type=kind, session_id=session_id, title=titles[session_id], started_at=started_at, task=task, turn=turn)


async def _titles(tx: Transaction, session_ids: Iterable[str]) -> dict[str, str]:
    found = [await tx.sessions.get(session_id) for session_id in session_ids]
    return {session.id: session.title for session in found if session is not None}


async def _reported(tx: Transaction, reader: str) -> list[Report]:
    """Return the unread news, without open questions, which the page shows elsewhere."""
    unread = await tx.news.unread(reader, _MOST_REPORTED)
    reported = [news for news in unread if news.event.kind != events.APPROVAL_REQUIRED]
    readers = [await _reader_of(tx, news) for news in reported]
    turn_ids = list(dict.fromkeys(turn.id for turn in readers if turn is not None))
    quotes = await _quotes(tx, turn_ids)
    deliveries = await _deliveries(tx, turn_ids)
    return [
        Report(**await news_fields(tx, news), last_event_id=news.last_seq, **_reading(news, turn, quotes, deliveries))
        for news, turn in zip(reported, readers, strict=True)
    ]


def _reading(news: News, turn: Turn | None, quotes: dict[str, str], deliveries: dict[_ReadBy, Any]) -> dict[str, Any]:
    if turn is None:
        return {"woke": None, "answer": ""}
    delivered = deliveries.get((turn.id, news.event.data["event_id"]))
    woke = NewsReader(turn_id=turn.id, number=turn.number, delivered=delivered)
    return {"woke": woke, "answer": quotes.get(turn.id, "")}


async def _deliveries(tx: Transaction, turn_ids: Sequence[str]) -> dict[_ReadBy, Any]:
    """Return how each notice reached the turn that read it: it opened the turn, came with a message, or joined."""
    inputs = [entry for entry in await tx.journal.inputs_of(turn_ids) if "notice" in entry.data]
    return {(entry.turn_id, entry.data["message_id"]): entry.data["notice"]["delivered"] for entry in inputs}


async def _reader_of(tx: Transaction, news: News) -> Turn | None:
    """Return the turn that read the notice of this news, if one did."""
    # The notice's dedupe key. News of a failed turn has no notice.
    key = news.event.data.get("event_id")
    row = None if key is None else await tx.inbox.find(news.event.session_id, key)
    return None if row is None or row.claimed_by is None else await tx.turns.get(row.claimed_by)


async def _recent(tx: Transaction, reader: str, mode: Mode) -> list[RecentSession]:
    sessions = await tx.sessions.page(reader, limit=_RECENT)
    quotes = await _quotes(tx, [session.head for session in sessions if session.head is not None])
    marks = await marks_of(tx, reader, sessions)
    return [
        RecentSession(
            **row_fields(session, marks[session.id], mode_of(session, mode)),
            workspace=session.workspace,
            answer=quotes.get(session.head or "", ""),
        )
        for session in sessions
    ]


async def _quotes(tx: Transaction, turn_ids: Sequence[str]) -> dict[str, str]:
    """Return the beginning of the last answer of each turn."""
    answers = await tx.journal.last_answers(turn_ids)
    return {turn_id: _quote(answer_of(entry).text) for turn_id, entry in answers.items()}


def _quote(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _QUOTE_LENGTH else f"{words[: _QUOTE_LENGTH - 2].rstrip()} …"
