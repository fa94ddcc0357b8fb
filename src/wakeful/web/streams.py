"""The routes of streams: one turn, one session, or several. Each reader is a cursor into the log."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wakeful.engine.engine import Engine
from wakeful.errors import SessionNotFound, TurnNotFound
from wakeful.model.event import Event
from wakeful.model.packed_json import pack
from wakeful.store.base import Transaction
from wakeful.web import fields
from wakeful.web.cursor import START, Cursor, parse_cursor, parse_cursors, parse_number
from wakeful.web.follower import Standing, Step, follow, follow_with_html, read_standing
from wakeful.web.frames import is_given_out, turn_frame
from wakeful.web.merge import merge
from wakeful.web.open_step import read_open_step
from wakeful.web.web import Web
from wakeful.wire.errors import InvalidRequest
from wakeful.wire.sse import EventStream, frame

# The sources of rows and of news, beside those that are called by the ids of sessions.
_ROWS = "rows"
_NEWS = "news"
# On one connection: each costs every other one a little.
_MOST_SESSIONS = 100


class StreamRoutes:
    def __init__(self, web: Web) -> None:
        self._web = web

    def routes(self) -> list[Route]:
        return [
            Route("/api/chat/stream", self.turn, methods=["GET"]),
            Route("/api/session/stream", self.session, methods=["GET"]),
            Route("/api/stream", self.several, methods=["GET"]),
        ]

    async def turn(self, request: Request) -> Response | EventStream:
        turn_id = fields.identifier(request.query_params, "stream_id")
        log = await self._turn_log(request, turn_id)
        number = parse_number(_given_cursor(request))
        after = number if number is not None and number <= log.last_seq else 0
        if log.has_ended and after == log.last_seq:
            # The reader has it all; an EventSource that hears this does not ask again.
            return Response(status_code=204)
        return self._stream(_turn_frames(self._web.engine, log, after))

    async def session(self, request: Request) -> EventStream:
        session_id = fields.identifier(request.query_params, "session_id")
        wishes = _wishes(request)
        (standing,) = await self._standings(request, [session_id])
        given = _given_cursor(request)
        cursor = parse_cursor(given, standing.session.last_seq) if given else standing.first_cursor(inline=wishes.turns)
        cursor = await self._checked(session_id, cursor)
        return self._stream(_session_frames(await self._follow(standing, cursor, wishes)))

    async def several(self, request: Request) -> EventStream:
        wishes = _wishes(request)
        has_rows, has_news = (fields.flag(request.query_params, name) for name in (_ROWS, _NEWS))
        standings = await self._standings(request, _session_ids(request, fewest=0 if has_rows or has_news else 1))
        wanted = _first_cursors(standings, _given_cursor(request), inline=wishes.turns)
        cursors = {of: await self._checked(of, cursor) for of, cursor in wanted.items()}
        sources = {
            standing.session.id: await self._follow(standing, cursors[standing.session.id], wishes)
            for standing in standings
        }
        if has_rows:
            sources[_ROWS] = self._rows(request)
        if has_news:
            last = await self._web.news.last(request.state.principal)
            cursors[_NEWS] = _news_cursor(_given_cursor(request), last)
            sources[_NEWS] = self._news(request, cursors[_NEWS], last)
        return self._stream(_merged_frames(sources, cursors))

    async def _checked(self, session_id: str, cursor: Cursor) -> Cursor:
        """A cursor into the frames of an event that was never given out is not understood either."""
        if not cursor.frames:
            return cursor

        async def body(tx: Transaction) -> list[Event]:
            return await tx.events.of_session(session_id, cursor.after, 1)

        told = await self._web.store.read(body)
        return cursor if told and is_given_out(told[0], cursor.frames) else START

    async def _follow(self, standing: Standing, cursor: Cursor, wishes: "_Wishes") -> AsyncGenerator[Step, None]:
        if not wishes.html:
            return follow(self._web.engine, standing, cursor, inline=wishes.turns)

        async def body(tx: Transaction) -> list[Event]:
            return [] if standing.active is None else await read_open_step(tx, standing.active, cursor.after)

        return follow_with_html(self._web.engine, standing, cursor, await self._web.store.read(body))

    async def _rows(self, request: Request) -> AsyncGenerator[Step, None]:
        feed = self._web.rows.follow(request.state.principal, self._web.owner_seen_by(request))
        async with aclosing(feed) as rows:
            async for name, data in rows:
                yield START, name, data

    async def _news(self, request: Request, cursor: Cursor, last: int) -> AsyncGenerator[Step, None]:
        yield cursor, "news_initial", pack({"last_news_id": last})
        async with aclosing(self._web.news.follow(request.state.principal, cursor.after)) as feed:
            async for number, form in feed:
                yield Cursor(number), _NEWS, pack(form)

    def _stream(self, frames: AsyncGenerator[bytes, None]) -> EventStream:
        return EventStream(frames, self._web.streams)

    async def _turn_log(self, request: Request, turn_id: str) -> "_TurnLog":
        async def body(tx: Transaction) -> _TurnLog:
            turn = await tx.turns.get(turn_id)
            row = await tx.inbox.find_by_turn(turn_id) if turn is None else None
            found = turn or row
            if found is None:
                raise TurnNotFound(f"There is no stream {turn_id}.")
            await self._web.require_session(tx, request, found.session_id)
            if turn is not None:
                return _TurnLog(turn.session_id, turn.id, turn.last_seq, turn.status.is_final)
            # An id that was given out and never opened has one event at most, and that is its end.
            told = await tx.events.of_turn(turn_id, 0, 1)
            return _TurnLog(found.session_id, turn_id, len(told), bool(told))

        try:
            return await self._web.store.read(body)
        except SessionNotFound:
            raise TurnNotFound(f"There is no stream {turn_id}.") from None

    async def _standings(self, request: Request, session_ids: list[str]) -> list[Standing]:
        async def body(tx: Transaction) -> list[Standing]:
            sessions = [await self._web.require_session(tx, request, session_id) for session_id in session_ids]
            return [await read_standing(tx, session) for session in sessions]

        return await self._web.store.read(body)


@dataclass(frozen=True, slots=True)
class _TurnLog:
    session_id: str
    turn_id: str
    last_seq: int
    has_ended: bool


def _given_cursor(request: Request) -> str:
    """The header wins: an EventSource that reconnects asks its first address again. Empty: none."""
    return request.headers.get("last-event-id", "") or request.query_params.get("after", "")


@dataclass(frozen=True, slots=True)
class _Wishes:
    turns: bool
    html: bool


def _wishes(request: Request) -> _Wishes:
    turns = request.query_params.get("turns", "")
    if turns not in ("", "inline"):
        raise InvalidRequest("turns must be inline, or left out.")
    html = fields.flag(request.query_params, "html")
    if html and not turns:
        raise InvalidRequest("html needs turns=inline.")
    return _Wishes(bool(turns), html)


def _session_ids(request: Request, fewest: int) -> list[str]:
    named = [name.strip() for name in request.query_params.get("sessions", "").split(",")]
    ids = list(dict.fromkeys(fields.identifier({"sessions": name}, "sessions") for name in named if name))
    if not fewest <= len(ids) <= _MOST_SESSIONS:
        raise InvalidRequest(f"sessions must name {fewest} to {_MOST_SESSIONS} sessions, with commas between them.")
    return ids


def _first_cursors(standings: list[Standing], given: str, *, inline: bool) -> dict[str, Cursor]:
    if not given:
        return {standing.session.id: standing.first_cursor(inline=inline) for standing in standings}
    known = parse_cursors(given, {standing.session.id: standing.session.last_seq for standing in standings})
    # One that joined the connection later.
    new = {standing.session.id: Cursor(standing.session.last_seq) for standing in standings}
    return new | known


def _news_cursor(given: str, last: int) -> Cursor:
    """From now on where the cursor does not speak of news; all that is kept where it is not understood."""
    known = parse_cursors(given, {_NEWS: last}) if given else {}
    cursor = known.get(_NEWS, Cursor(last))
    return START if cursor.frames else cursor


async def _turn_frames(engine: Engine, log: _TurnLog, after: int) -> AsyncGenerator[bytes, None]:
    async with aclosing(engine.subscribe_turn(log.session_id, log.turn_id, after)) as told:
        async for event in told:
            yield turn_frame(event)


async def _session_frames(source: AsyncGenerator[Step, None]) -> AsyncGenerator[bytes, None]:
    async with aclosing(source) as steps:
        async for position, name, data in steps:
            yield frame(str(position), name, data)


async def _merged_frames(
    sources: dict[str, AsyncGenerator[Step, None]], cursors: dict[str, Cursor]
) -> AsyncGenerator[bytes, None]:
    async with aclosing(merge(sources)) as steps:
        async for source, (position, name, data) in steps:
            if source != _ROWS:
                cursors[source] = position
            # Rows have no place in any log; without a session there is nothing to go on from.
            at = ",".join(f"{of}:{cursor}" for of, cursor in cursors.items()) or f"{_ROWS}:0"
            yield frame(at, name, data)
