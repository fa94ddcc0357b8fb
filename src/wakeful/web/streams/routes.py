"""Routes that stream one turn, one session or several sessions. Each reader is a cursor."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wakeful.engine.engine import Engine
from wakeful.errors import SessionNotFound, TurnNotFound
from wakeful.model.event import Event
from wakeful.model.packed_json import pack
from wakeful.store.base import Transaction
from wakeful.web.cursor import START, Cursor, parse_cursor, parse_cursors, parse_turn_cursor
from wakeful.web.feeds.work_feed import WORK
from wakeful.web.fields import read_query
from wakeful.web.streams.follower import Frames, SessionState, follow_session, follow_with_html, read_state
from wakeful.web.streams.frames import is_given_out, lines_of, on_the_wire
from wakeful.web.streams.merge import merge
from wakeful.web.streams.query import (
    SessionStreamQuery,
    SeveralStreamsQuery,
    TurnStreamQuery,
    cursor_of,
    require_turns,
)
from wakeful.web.streams.word_frames import runs_of, turn_words
from wakeful.web.web import Web
from wakeful.wire.sse import EventStream

# The names of the sources that are not sessions; a session's source is named by its id.
_ROWS = "rows"
_NEWS = "news"
_WORK = "work"


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
        asked = read_query(request, TurnStreamQuery)
        log = await self._turn_log(request, asked.stream_id)
        after, word = parse_turn_cursor(cursor_of(request, asked.after), log.last_seq)
        if log.has_ended and after == log.last_seq:
            # The reader has every frame. 204 makes an EventSource stop reconnecting.
            return Response(status_code=204)
        return self._stream(_turn_frames(self._web.engine, log, after, word))

    async def session(self, request: Request) -> EventStream:
        asked = read_query(request, SessionStreamQuery)
        require_turns(asked)
        (state,) = await self._states(request, [asked.session_id])
        given, inline = cursor_of(request, asked.after), bool(asked.turns)
        cursor = parse_cursor(given, state.session.last_seq) if given else state.first_cursor(inline=inline)
        cursor = await self._checked(asked.session_id, cursor)
        return self._stream(_session_frames(self._follow(state, cursor, asked)))

    async def several(self, request: Request) -> EventStream:
        asked = read_query(request, SeveralStreamsQuery)
        require_turns(asked)
        states = await self._states(request, asked.session_ids())
        given = cursor_of(request, asked.after)
        wanted = _first_cursors(states, given, inline=bool(asked.turns))
        cursors = {of: await self._checked(of, cursor) for of, cursor in wanted.items()}
        sources = {state.session.id: self._follow(state, cursors[state.session.id], asked) for state in states}
        if asked.rows:
            sources[_ROWS] = self._rows(request)
        if asked.work:
            sources[_WORK] = self._works(list(cursors))
        if asked.news:
            last = await self._web.news.last(request.state.principal)
            cursors[_NEWS] = _news_cursor(given, last)
            sources[_NEWS] = self._news(request, cursors[_NEWS], last)
        return self._stream(_merged_frames(sources, {of: str(cursor) for of, cursor in cursors.items()}))

    async def _checked(self, session_id: str, cursor: Cursor) -> Cursor:
        """Return the cursor, or the start if it points between frames that the event does not have.

        A reader that has had a frame of an event has also had the words that the event ends.
        """
        if not cursor.frames:
            return cursor

        async def body(tx: Transaction) -> list[Event]:
            return await tx.events.of_session(session_id, cursor.fact, 1)

        found = await self._web.store.read(body)
        if not found or not is_given_out(found[0], cursor.frames):
            return START
        ends = found[0].ends
        return cursor if ends is None else replace(cursor, base=ends.base, word=ends.count)

    def _follow(self, state: SessionState, cursor: Cursor, asked: SessionStreamQuery | SeveralStreamsQuery) -> Frames:
        if asked.html:
            return follow_with_html(self._web.engine, state, cursor)
        return follow_session(self._web.engine, state, cursor, inline=bool(asked.turns))

    async def _rows(self, request: Request) -> Frames:
        feed = self._web.rows.follow(request.state.principal, self._web.owner_seen_by(request))
        async with aclosing(feed) as rows:
            async for name, data in rows:
                yield [("", lines_of(name, data))]

    async def _works(self, session_ids: list[str]) -> Frames:
        async with aclosing(self._web.works.follow(session_ids)) as feed:
            async for data in feed:
                yield [("", lines_of(WORK, data))]

    async def _news(self, request: Request, cursor: Cursor, last: int) -> Frames:
        yield [(str(cursor), lines_of("news_initial", pack({"last_news_id": last})))]
        async with aclosing(self._web.news.follow(request.state.principal, cursor.fact)) as feed:
            async for number, news in feed:
                yield [(str(number), lines_of(_NEWS, msgspec.json.encode(news)))]

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
            # A turn that was queued and never opened has at most one event, its end.
            events = await tx.events.of_turn(turn_id, 0, 1)
            return _TurnLog(found.session_id, turn_id, len(events), bool(events))

        try:
            return await self._web.store.read(body)
        except SessionNotFound:
            raise TurnNotFound(f"There is no stream {turn_id}.") from None

    async def _states(self, request: Request, session_ids: list[str]) -> list[SessionState]:
        async def body(tx: Transaction) -> list[SessionState]:
            sessions = [await self._web.require_session(tx, request, session_id) for session_id in session_ids]
            return [await read_state(tx, session) for session in sessions]

        return await self._web.store.read(body)


@dataclass(frozen=True, slots=True)
class _TurnLog:
    session_id: str
    turn_id: str
    last_seq: int
    has_ended: bool


def _first_cursors(states: list[SessionState], given: str, *, inline: bool) -> dict[str, Cursor]:
    if not given:
        return {state.session.id: state.first_cursor(inline=inline) for state in states}
    known = parse_cursors(given, {state.session.id: state.session.last_seq for state in states})
    # A session that the cursor does not name has just been added to the connection: it begins now.
    new = {state.session.id: Cursor(state.session.last_seq) for state in states}
    return new | known


def _news_cursor(given: str, last: int) -> Cursor:
    """Return the end if the cursor does not mention news, and the start if its news part is malformed."""
    known = parse_cursors(given, {_NEWS: last}) if given else {}
    cursor = known.get(_NEWS, Cursor(last))
    return START if cursor.frames or cursor.base else cursor


async def _turn_frames(engine: Engine, log: _TurnLog, after: int, word: int) -> AsyncGenerator[bytes, None]:
    async with aclosing(engine.subscribe_turn(log.session_id, log.turn_id, after, word)) as pages:
        async for page in pages:
            if not page:
                continue
            for item in runs_of(page):
                if isinstance(item, list):
                    yield on_the_wire(turn_words(item, after))
                    continue
                # A `step_abandoned` for a reader that has more words than the log kept is not a fact of the turn.
                at = f"{after}~0" if item.turn_seq is None else str(item.turn_seq)
                after = item.turn_seq or after
                yield on_the_wire([(at, lines_of(item.kind, item.payload))])
            # The next page may be hours away: free this one.
            del page, item


async def _session_frames(source: Frames) -> AsyncGenerator[bytes, None]:
    async with aclosing(source) as batches:
        async for frames in batches:
            if frames:
                yield on_the_wire(frames)
            del frames


async def _merged_frames(sources: dict[str, Frames], cursors: dict[str, str]) -> AsyncGenerator[bytes, None]:
    async with aclosing(merge(sources)) as batches:
        async for source, frames in batches:
            if frames:
                yield on_the_wire(frames, *_around(source, cursors))
                if source in cursors:
                    cursors[source] = frames[-1][0]
            del frames


def _around(source: str, cursors: dict[str, str]) -> tuple[str, str]:
    """Return the merged cursor's text before and after the cursor of this source."""
    parts = [f"{of}:{at}" for of, at in cursors.items()]
    if source not in cursors:
        # Rows are in no log, so their frames repeat the cursors of the others. Without any, the `id` is a dummy.
        return ",".join(parts) or f"{_ROWS}:0", ""
    index = list(cursors).index(source)
    return "".join(f"{part}," for part in parts[:index]) + f"{source}:", "".join(
        f",{part}" for part in parts[index + 1 :]
    )
