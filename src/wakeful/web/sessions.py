"""The routes of sessions: make one, list them, look at one, change it, branch it."""

from functools import partial
from pathlib import Path
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from wakeful.errors import SessionNotFound
from wakeful.model.search import wanted_in
from wakeful.model.session import Address, Session
from wakeful.store.base import Transaction
from wakeful.web import fields
from wakeful.web.messages import MessageId
from wakeful.web.rows import add_hits, session_rows
from wakeful.web.short_results import shorten_results
from wakeful.web.snapshot import read_result, take_snapshot
from wakeful.web.web import Web
from wakeful.wire.errors import InvalidRequest

# They all come on the first page.
_MOST_PINNED = 200
# Where more sessions have the words, those with the newest hits: a person looks for one, with better words.
_MOST_FOUND = 100
_CHANGEABLE = frozenset({"session_id", "title", "model", "pinned", "archived"})


class SessionRoutes:
    def __init__(self, web: Web) -> None:
        self._web = web

    def routes(self) -> list[Route]:
        return [
            Route("/api/session/new", self.create, methods=["POST"]),
            Route("/api/sessions", self.page, methods=["GET"]),
            Route("/api/session", self.show, methods=["GET"]),
            Route("/api/session", self.change, methods=["PATCH"]),
            Route("/api/session", self.delete, methods=["DELETE"]),
            Route("/api/session/restore", self.restore, methods=["POST"]),
            Route("/api/session/result", self.result, methods=["GET"]),
            Route("/api/session/seen", self.see, methods=["POST"]),
            Route("/api/session/branch", self.branch, methods=["POST"]),
        ]

    async def create(self, request: Request) -> Response:
        given = await fields.read_body(request)
        session = await self._web.engine.create_session(
            request.state.principal,
            Address(self._web.door(request).name),
            self._web.checked_model(fields.model(given)) if fields.has(given, "model") else self._web.model,
            self._workspace(request, given),
            title=fields.title(given) if fields.has(given, "title") else "",
        )
        return JSONResponse({"session_id": session.id})

    def _workspace(self, request: Request, given: fields.Fields) -> str:
        """The operator may choose any folder; others stay in the server's own, where its key and settings are not."""
        if not fields.has(given, "workspace"):
            return self._web.workspace
        folder = fields.folder(given, "workspace")
        is_free = self._web.owner_seen_by(request) is None
        if not is_free and not Path(folder).resolve().is_relative_to(Path(self._web.workspace).resolve()):
            raise InvalidRequest(f"workspace must be inside of {self._web.workspace} for holders of this key.")
        return folder

    async def page(self, request: Request) -> Response:
        query = request.query_params
        limit = fields.number(query, "limit", 50, 1, 200)
        words = fields.words(query, "q")
        wanted = wanted_in(words)
        before = _parse_cursor(query.get("cursor", ""))
        archived = fields.flag(query, "archived")
        owner = self._web.owner_seen_by(request)

        async def body(tx: Transaction) -> tuple[list[dict[str, Any]], str | None]:
            hits = await tx.search.find(owner, wanted, _MOST_FOUND, archived=archived) if words else None
            find = partial(tx.sessions.page, owner, among=hits, archived=archived)
            pinned = [] if before is not None else await find(limit=_MOST_PINNED, pinned=True)
            # One more than is shown tells whether there is a next page.
            found = await find(before=before, limit=limit + 1, pinned=False)
            rows = await session_rows(tx, request.state.principal, pinned + found[:limit])
            if hits is not None:
                await add_hits(tx, rows, hits, wanted)
            return rows, _cursor(found[limit - 1]) if len(found) > limit else None

        look = self._web.store.search if words else self._web.store.read
        rows, next_cursor = await look(body)
        return JSONResponse({"sessions": rows, "next_cursor": next_cursor})

    async def show(self, request: Request) -> Response:
        query = request.query_params
        session_id = fields.identifier(query, "session_id")
        limit = fields.number(query, "limit", 100, 1, 1000)
        before = _parse_message_id(query["before"], "before") if query.get("before") else None
        is_short = fields.flag(query, "short")
        snapshot = await take_snapshot(self._web, request, session_id, limit, before)
        if is_short:
            shorten_results(snapshot.page.messages)
        return Response(orjson.dumps(snapshot.form(self._web)), media_type="application/json")

    async def result(self, request: Request) -> Response:
        query = request.query_params
        message = _parse_message_id(fields.identifier(query, "message_id"), "message_id")
        text = await read_result(self._web, request, fields.identifier(query, "session_id"), message)
        return JSONResponse({"result": text, "full_size": len(text)})

    async def see(self, request: Request) -> Response:
        given = await fields.read_body(request)
        seq = fields.whole(given, "event_id")
        session = await self._web.find_session(request, fields.identifier(given, "session_id"))

        async def body(tx: Transaction) -> None:
            await tx.readers.see(request.state.principal, session.id, min(seq, session.last_seq))

        await self._web.store.write(body)
        return JSONResponse({"ok": True})

    async def change(self, request: Request) -> Response:
        given = await fields.read_body(request)
        unknown = sorted(given.keys() - _CHANGEABLE)
        if unknown:
            raise InvalidRequest(f"{unknown[0]} cannot be changed: title, model, pinned and archived can.")
        session = await self._web.find_session(request, fields.identifier(given, "session_id"))
        title = fields.title(given) if fields.has(given, "title") else None
        model = self._web.checked_model(fields.model(given)) if fields.has(given, "model") else None
        pinned = fields.switch(given, "pinned") if fields.has(given, "pinned") else None
        archived = fields.switch(given, "archived") if fields.has(given, "archived") else None
        if title is None and model is None and pinned is None and archived is None:
            raise InvalidRequest("Say what to change: title, model, pinned or archived.")
        if pinned is not None or archived is not None:
            await self._web.engine.place_session(session.id, pinned=pinned, archived=archived)
        if title is not None or model is not None:
            await self._web.engine.change_session(session.id, title=title, model=model)
        return JSONResponse({"ok": True})

    async def delete(self, request: Request) -> Response:
        session = await self._web.find_session(request, fields.identifier(request.query_params, "session_id"))
        await self._web.engine.purger.delete(session.id)
        return JSONResponse({"ok": True})

    async def restore(self, request: Request) -> Response:
        given = await fields.read_body(request)
        session_id = fields.identifier(given, "session_id")

        async def body(tx: Transaction) -> Session | None:
            return await tx.sessions.get(session_id)

        session = await self._web.store.read(body)
        if session is None or not self._web.may_see(request, session.owner):
            raise SessionNotFound(f"There is no session {session_id}.")
        await self._web.engine.purger.restore(session.id)
        return JSONResponse({"ok": True})

    async def branch(self, request: Request) -> Response:
        given = await fields.read_body(request)
        session = await self._web.find_session(request, fields.identifier(given, "session_id"))
        turn_id = fields.identifier(given, "turn_id") if fields.has(given, "turn_id") else None
        branch = await self._web.engine.branch(session.id, turn_id)
        return JSONResponse({"session_id": branch.id})


def _cursor(session: Session) -> str:
    return f"{session.updated_at!r}~{session.id}"


def _parse_cursor(text: str) -> tuple[float, str] | None:
    if not text:
        return None
    moment, _, session_id = text.partition("~")
    try:
        return float(moment), fields.identifier({"cursor": session_id}, "cursor")
    except ValueError:
        raise InvalidRequest("cursor must be a next_cursor of an earlier answer.") from None


def _parse_message_id(text: str, name: str) -> MessageId:
    message = MessageId.parse(text)
    if message is None or "\0" in message.turn_id:
        raise InvalidRequest(f"{name} must be the id of a message of this session.")
    return message
