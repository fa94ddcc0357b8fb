"""Runs: a stored turn that any number of readers may follow, that may be stopped, and that may ask for approvals."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from starlette.requests import Request
from starlette.routing import Route

from wakeful.engine.inbox.submission import Receipt
from wakeful.gateway.openai.api import Api, read_api_body
from wakeful.gateway.openai.errors import ApiError
from wakeful.gateway.openai.items.inputs import inputs_of
from wakeful.gateway.openai.items.references import References
from wakeful.gateway.openai.lanes.answered_calls import require_calls
from wakeful.gateway.openai.lanes.entry import enter, until_entered
from wakeful.gateway.openai.lanes.lane import Lanes
from wakeful.gateway.openai.runs.cursor import RunCursor, cursor_from
from wakeful.gateway.openai.runs.projection import RunProjection
from wakeful.gateway.openai.runs.request import RunApproval, RunBody, RunEventsHeaders, RunEventsQuery
from wakeful.gateway.openai.runs.run import RunAnswered, RunBegun
from wakeful.gateway.openai.session_headers import SessionHeaders, WithSessionHeader, model_in
from wakeful.model.approvals.approval import Choice
from wakeful.model.event import StreamItem
from wakeful.model.request import RUN, TurnRequest, request_as_far_as_known
from wakeful.model.session import Session
from wakeful.model.turn import Turn
from wakeful.model.words import Position
from wakeful.store.base import Transaction
from wakeful.wire.answer import JsonAnswer
from wakeful.wire.reading import read, read_texts
from wakeful.wire.sse import EventStream, frame

_RUN = "run_"
_TURN = "turn_"


@dataclass(frozen=True, slots=True)
class _Run:
    turn: Turn
    session: Session
    # The number in its session's log after which it begins.
    before: int

    @property
    def id(self) -> str:
        return _run_id(self.turn.id)

    def projection(self) -> RunProjection:
        return RunProjection(self.id, self.turn.id)


@dataclass(slots=True)
class _Reader:
    projection: RunProjection
    # Where it stood when it came; and where it stands now.
    seen: RunCursor
    cursor: RunCursor

    def news(self, page: Sequence[StreamItem]) -> bytes:
        return b"".join(wire for told in page for wire in self._frames(told))

    def _frames(self, told: StreamItem) -> list[bytes]:
        self.cursor = self.cursor.after(told)
        frames = [one for one in self.projection.feed(told) if not self.seen.covers(told, one.number)]
        return [frame(self.cursor.id, one.type, one.data) for one in frames]


class RunRoutes:
    def __init__(self, api: Api) -> None:
        self._api = api
        self._headers = SessionHeaders(api, Lanes(api))
        self._references = References(api)

    def routes(self) -> list[Route]:
        return [
            Route("/v1/runs", self.create, methods=["POST"]),
            Route("/v1/runs/{run_id}", self.show, methods=["GET"]),
            Route("/v1/runs/{run_id}/events", self.events, methods=["GET"]),
            Route("/v1/runs/{run_id}/stop", self.stop, methods=["POST"]),
            Route("/v1/runs/{run_id}/approval", self.approve, methods=["POST"]),
        ]

    async def create(self, request: Request) -> WithSessionHeader:
        asked = read(RunBody, await read_api_body(request))
        receipt = await until_entered(lambda: self._begin(request, asked))
        begun = RunBegun(run_id=_run_id(receipt.turn_id))
        return WithSessionHeader(JsonAnswer(begun, 202), receipt.session_id)

    async def show(self, request: Request) -> WithSessionHeader:
        return await self._shown(await self._require(request))

    async def events(self, request: Request) -> WithSessionHeader:
        after = _after(request)
        run = await self._require(request)
        # A reader at a place that the log has not reached would miss the events up to there.
        seen = after if after.is_within(run.session.last_seq) else RunCursor()
        return WithSessionHeader(EventStream(self._frames(run, seen), self._api.streams), run.session.id)

    async def stop(self, request: Request) -> WithSessionHeader:
        run = await self._require(request)
        await self._api.engine.cancel(run.session.id, run.turn.id)
        return await self._shown(run)

    async def approve(self, request: Request) -> WithSessionHeader:
        given = read(RunApproval, await read_api_body(request))
        run = await self._require(request)
        choice = Choice(given.choice)
        await self._api.engine.approvals.answer(run.session.id, given.call_id, choice)
        answered = RunAnswered(run_id=run.id, call_id=given.call_id, choice=choice)
        return WithSessionHeader(JsonAnswer(answered), run.session.id)

    async def _begin(self, request: Request, asked: RunBody) -> Receipt:
        model = await self._api.require_model(asked.model, status=404)
        lane = await self._headers.lane(request, model)
        inputs = await self._references.resolve(request, inputs_of(asked.input))
        await require_calls(self._api.store, lane, inputs, "input")
        submission = self._api.submission(
            lane.session_id,
            model_in(lane, asked.model, model),
            inputs,
            TurnRequest(kind=RUN, instructions=asked.instructions),
            from_checkpoint=lane.from_checkpoint,
        )
        return await enter(self._api.engine, lane, submission)

    async def _require(self, request: Request) -> _Run:
        turn_id = _turn_id(request.path_params["run_id"])

        async def body(tx: Transaction) -> _Run | None:
            found = await self._api.find_turn(tx, request, turn_id)
            if found is None or request_as_far_as_known(found[0].request).kind != RUN:
                return None
            (first,) = await tx.events.of_turn(turn_id, 0, 1)
            return _Run(*found, first.session_seq - 1)

        run = await self._api.store.read(body)
        if run is None:
            raise ApiError(404, "run_not_found", "There is no such run.")
        return run

    async def _shown(self, run: _Run) -> WithSessionHeader:
        """As it stands now, also while it runs."""
        projection = run.projection()
        for told in await self._api.engine.stream_so_far(run.session.id, run.turn.id):
            projection.feed(told)
        return WithSessionHeader(JsonAnswer(projection.run()), run.session.id)

    async def _frames(self, run: _Run, seen: RunCursor) -> AsyncGenerator[bytes, None]:
        """From the run's beginning, because every number follows from it; what the reader has seen is left out."""
        start = Position(run.before)
        reader = _Reader(run.projection(), seen, RunCursor(start))
        async with aclosing(self._api.engine.subscribe(run.session.id, start, starts_over=False)) as pages:
            async for page in pages:
                news = reader.news(page)
                # A reader that waits for the next page holds nothing of this one.
                del page
                if news:
                    yield news
                del news
                if reader.projection.is_ended:
                    return


def _run_id(turn_id: str) -> str:
    return _RUN + turn_id.removeprefix(_TURN)


def _turn_id(run_id: str) -> str:
    """Some name that no turn has, when it is no id of a run."""
    return _TURN + run_id.removeprefix(_RUN) if run_id.startswith(_RUN) and "\0" not in run_id else ""


def _after(request: Request) -> RunCursor:
    """The header wins: an EventSource that reconnects asks its first address again."""
    after = read_texts(RunEventsQuery, request.query_params).after
    return cursor_from(read_texts(RunEventsHeaders, request.headers).last_event_id or after)
