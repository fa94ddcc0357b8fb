"""The route that lists the skills of a session's agent."""

import asyncio
from collections.abc import Callable
from typing import Annotated

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wakeful.web.fields import MaybeId, read_query
from wakeful.web.web import Web
from wakeful.wire.answer import JsonAnswer
from wakeful.wire.declared import Incoming, Outgoing, words


class SkillsQuery(Incoming):
    session_id: Annotated[MaybeId, words("Whose workspace counts; without it, that of new sessions.")] = ""


class ShownSkill(Outgoing):
    name: str
    description: str
    path: str
    error: Annotated[str | None, words("Why it is left out of the system prompt.")] = None


class ShownSkills(Outgoing):
    skills: list[ShownSkill]


# Takes a workspace.
FindSkills = Callable[[str], list[ShownSkill]]


class SkillRoutes:
    def __init__(self, web: Web, find: FindSkills) -> None:
        self._web = web
        self._find = find

    def routes(self) -> list[Route]:
        return [Route("/api/skills", self.show, methods=["GET"])]

    async def show(self, request: Request) -> Response:
        session_id = read_query(request, SkillsQuery).session_id
        session = await self._web.find_session(request, session_id) if session_id else None
        workspace = self._web.workspace if session is None else session.workspace
        return JsonAnswer(ShownSkills(skills=await asyncio.to_thread(self._find, workspace)))
