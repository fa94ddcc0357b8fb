"""The routes of runs. A run is a stored turn that any number of readers may follow, and that may ask for approvals."""

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
from wakeful.model.api.request import RUN, TurnRequest, request_as_far_as_known
from wakeful.model.approvals.approval import Choice
from wakeful.model.event import StreamItem
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
    # The number of the last event in the session's log before the run.
    before: int

    @property
    def id(self) -> str:
        return _run_id(self.turn.id)

    def projection(self) -> RunProjection:
        return RunProjection(self.id, self.turn.id)


@dataclass(slots=True)
class _Reader:
    projection: RunProjection
    # What the reader had seen when it connected; what it has seen now.
    seen: RunCursor
    cursor: RunCursor

    def read(self, page: Sequence[StreamItem]) -> bytes:
        return b"".join(wire for item in page for wire in self._frames(item))

    def _frames(self, item: StreamItem) -> list[bytes]:
        self.cursor = self.cursor.after(item)
        frames = [one for one in self.projection.feed(item) if not self.seen.covers(item, one.number)]
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
        # From a position that the log has not reached, a reader would miss the events up to it.
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
        """Answer with the run in its present state."""
        projection = run.projection()
        for item in await self._api.engine.stream_so_far(run.session.id, run.turn.id):
            projection.feed(item)
        return WithSessionHeader(JsonAnswer(projection.run()), run.session.id)

    async def _frames(self, run: _Run, seen: RunCursor) -> AsyncGenerator[bytes, None]:
        """Yield the frames that the reader has not seen. The fold begins with the run, because the numbers do."""
        start = Position(run.before)
        reader = _Reader(run.projection(), seen, RunCursor(start))
        async with aclosing(self._api.engine.subscribe(run.session.id, start, starts_over=False)) as pages:
            async for page in pages:
                frames = reader.read(page)
                # Free the page: the stream may wait long for the next one.
                del page
                if frames:
                    yield frames
                del frames
                if reader.projection.is_ended:
                    return


def _run_id(turn_id: str) -> str:
    return _RUN + turn_id.removeprefix(_TURN)


def _turn_id(run_id: str) -> str:
    """Return the id of the run's turn; for a malformed run id, a turn id that cannot exist."""
    return _TURN + run_id.removeprefix(_RUN) if run_id.startswith(_RUN) and "\0" not in run_id else ""


def _after(request: Request) -> RunCursor:
    """Return where to begin. The header wins: an EventSource that reconnects repeats its first query."""
    after = read_texts(RunEventsQuery, request.query_params).after
    return cursor_from(read_texts(RunEventsHeaders, request.headers).last_event_id or after)
