"""Routes that create, list, show, change, delete, restore and branch sessions."""

from functools import partial
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wakeful.errors import NotAllowed, SessionNotFound
from wakeful.model.approvals.mode import Mode
from wakeful.model.search.search import wanted_in
from wakeful.model.session import Address, Session
from wakeful.store.base import Transaction
from wakeful.web.feeds.rows import session_rows, with_hits
from wakeful.web.fields import OfSession, read_body, read_query
from wakeful.web.messages.messages import MessageId, shorten_results
from wakeful.web.sessions.requests import (
    Branch,
    ChangedSession,
    MadeSession,
    NewSession,
    ResultQuery,
    SeenSession,
    SessionPage,
    SessionQuery,
    SessionsQuery,
    WholeResult,
)
from wakeful.web.sessions.session import ShownChange
from wakeful.web.sessions.snapshot import read_result, take_snapshot
from wakeful.web.web import Web
from wakeful.wire.answer import JsonAnswer, Ok
from wakeful.wire.errors import InvalidRequest
from wakeful.wire.reading import read

# All of them come on the first page.
_MOST_PINNED = 200
# Of a search, the sessions with the newest hits. More specific words find the others.
_MOST_FOUND = 100


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
        given = await read_body(request, NewSession)
        session = await self._web.engine.create_session(
            request.state.principal,
            Address(self._web.door(request).name),
            self._web.model if given.model is None else self._web.checked_model(given.model.strip()),
            self._workspace(request, given.workspace),
            title=given.title.strip(),
            mode=self._checked_mode(request, given.mode) or "",
        )
        return JsonAnswer(MadeSession(session_id=session.id))

    def _checked_mode(self, request: Request, mode: str | None) -> str | None:
        """Raises NotAllowed."""
        if mode is None:
            return None
        if _is_by_command(request):
            raise NotAllowed("A command of an agent cannot choose a mode: a person does, on the page or in a terminal.")
        if mode == Mode.EVERYTHING and not self._may_choose_everything(request):
            raise NotAllowed("Only the operator may let an agent do everything without asking.")
        return mode

    def _may_choose_everything(self, request: Request) -> bool:
        return self._web.owner_seen_by(request) is None and not _is_by_command(request)

    def _workspace(self, request: Request, folder: str | None) -> str:
        """Return the folder of a new session. Raises InvalidRequest.

        The operator may choose any folder. Others must stay inside the default workspace, which does not contain the
        server's key and settings.
        """
        if folder is None:
            return self._web.workspace
        is_free = self._web.owner_seen_by(request) is None
        if not is_free and not Path(folder).resolve().is_relative_to(Path(self._web.workspace).resolve()):
            raise InvalidRequest(f"With this key workspace must be inside {self._web.workspace}.")
        return folder

    async def page(self, request: Request) -> Response:
        asked = read_query(request, SessionsQuery)
        limit, words = asked.limit, asked.q.strip()
        wanted = wanted_in(words)
        before = _parse_cursor(asked.cursor)
        if asked.key:
            return JsonAnswer(await self._web.store.read(partial(self._page_of_chat, request, asked, before)))
        owner = self._web.owner_seen_by(request)

        async def body(tx: Transaction) -> SessionPage:
            hits = await tx.search.find(owner, wanted, _MOST_FOUND, archived=asked.archived) if words else None
            find = partial(tx.sessions.page, owner, among=hits, archived=asked.archived)
            pinned = [] if before is not None else await find(limit=_MOST_PINNED, pinned=True)
            # One more than is shown, to find out whether there is a next page.
            found = await find(before=before, limit=limit + 1, pinned=False)
            rows = await session_rows(tx, request.state.principal, pinned + found[:limit], self._web.mode)
            next_cursor = _cursor(found[limit - 1]) if len(found) > limit else None
            shown = rows if hits is None else await with_hits(tx, rows, hits, wanted)
            return SessionPage(sessions=shown, next_cursor=next_cursor)

        look = self._web.store.search if words else self._web.store.read
        return JsonAnswer(await look(body))

    async def _page_of_chat(
        self, request: Request, asked: SessionsQuery, before: tuple[float, str] | None, tx: Transaction
    ) -> SessionPage:
        find = partial(tx.sessions.page, self._web.owner_seen_by(request), archived=asked.archived)
        chat = await tx.chats.get(asked.key)
        now_at = [] if chat is None else [chat.session_id]
        current = await find(among=now_at, limit=1) if now_at and before is None else []
        # One more than is shown, and another one for the current session, which may be among them.
        found = await find(key=asked.key, before=before, limit=asked.limit + 2)
        others = [session for session in found if session.id not in now_at]
        rows = await session_rows(tx, request.state.principal, current + others[: asked.limit], self._web.mode)
        next_cursor = _cursor(others[asked.limit - 1]) if len(others) > asked.limit else None
        return SessionPage(sessions=rows, next_cursor=next_cursor)

    async def show(self, request: Request) -> Response:
        asked = read_query(request, SessionQuery)
        before = _parse_message_id(asked.before, "before") if asked.before else None
        snapshot = await take_snapshot(self._web, request, asked.session_id, asked.limit, before)
        if asked.short:
            shorten_results(snapshot.page.messages)
        return JsonAnswer(snapshot.shown(self._web))

    async def result(self, request: Request) -> Response:
        asked = read_query(request, ResultQuery)
        message = _parse_message_id(asked.message_id, "message_id")
        entry = await read_result(self._web, request, asked.session_id, message)
        text, changes = entry.data["text"], entry.data.get("changes", ())
        shown = [ShownChange(**change) for change in changes]
        return JsonAnswer(WholeResult(result=text, full_size=len(text), changes=shown))

    async def see(self, request: Request) -> Response:
        given = await read_body(request, SeenSession)
        session = await self._web.find_session(request, given.session_id)

        async def body(tx: Transaction) -> None:
            await tx.readers.see(request.state.principal, session.id, min(given.event_id, session.last_seq))

        await self._web.store.write(body)
        return JsonAnswer(Ok())

    async def change(self, request: Request) -> Response:
        given = await read_body(request, ChangedSession)
        session = await self._web.find_session(request, given.session_id)
        title = None if given.title is None else given.title.strip()
        model = None if given.model is None else self._web.checked_model(given.model.strip())
        mode = self._checked_mode(request, given.mode)
        if mode is not None and session.task_id is not None:
            raise InvalidRequest("A sub-agent has the mode of the session that it works for: change it there.")
        pinned, archived = given.pinned, given.archived
        if title is None and model is None and mode is None and pinned is None and archived is None:
            raise InvalidRequest("Give something to change: title, model, mode, pinned or archived.")
        if pinned is not None or archived is not None:
            await self._web.engine.arrange_session(session.id, pinned=pinned, archived=archived)
        if title is not None or model is not None or mode is not None:
            await self._web.engine.change_session(session.id, title=title, model=model, mode=mode)
        return JsonAnswer(Ok())

    async def delete(self, request: Request) -> Response:
        session = await self._web.find_session(request, read_query(request, OfSession).session_id)
        await self._web.engine.purger.delete(session.id)
        return JsonAnswer(Ok())

    async def restore(self, request: Request) -> Response:
        session_id = (await read_body(request, OfSession)).session_id

        async def body(tx: Transaction) -> Session | None:
            return await tx.sessions.get(session_id)

        session = await self._web.store.read(body)
        if session is None or not self._web.may_see(request, session.owner):
            raise SessionNotFound(f"There is no session {session_id}.")
        await self._web.engine.purger.restore(session.id)
        return JsonAnswer(Ok())

    async def branch(self, request: Request) -> Response:
        given = await read_body(request, Branch)
        session = await self._web.find_session(request, given.session_id)
        may_choose = self._may_choose_everything(request)
        branch = await self._web.engine.branch(session.id, given.turn_id, may_choose_everything=may_choose)
        return JsonAnswer(MadeSession(session_id=branch.id))


def _is_by_command(request: Request) -> bool:
    """Return whether a command that an agent runs has sent the request, through the local socket."""
    return bool(getattr(request.state, "is_by_command", False))


def _cursor(session: Session) -> str:
    return f"{session.updated_at!r}~{session.id}"


def _parse_cursor(text: str) -> tuple[float, str] | None:
    if not text:
        return None
    moment, _, session_id = text.partition("~")
    try:
        return float(moment), read(OfSession, {"session_id": session_id}).session_id
    except (ValueError, InvalidRequest):
        raise InvalidRequest("cursor must be the next_cursor of an earlier answer.", param="cursor") from None


def _parse_message_id(text: str, name: str) -> MessageId:
    message = MessageId.parse(text)
    if message is None or "\0" in message.turn_id:
        raise InvalidRequest(f"{name} must be the id of a message of this session.")
    return message
