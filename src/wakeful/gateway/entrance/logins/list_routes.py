"""The routes that list logins and end them."""

from typing import Annotated

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wakeful.errors import LoginNotFound
from wakeful.gateway.entrance.logins.browser_name import browser_name
from wakeful.gateway.entrance.logins.desk import LoginDesk
from wakeful.model.login import Login
from wakeful.model.tasks.task_data import time_text
from wakeful.wire.answer import JsonAnswer
from wakeful.wire.declared import Incoming, Outgoing, words
from wakeful.wire.errors import InvalidRequest
from wakeful.wire.reading import read_texts

_TRUE = ("1", "true")


class EndedLogins(Incoming):
    id: Annotated[str, words("The id of one login.")] = ""
    others: Annotated[str, words("`true` ends all logins that you may see, except the one that asks.")] = ""


class LoginsEnded(Outgoing):
    ok: bool = True
    ended: Annotated[int, Meta(ge=0), words("How many.")]


class ShownLogin(Outgoing):
    id: str
    name: Annotated[str, words("The name of its key's holder.")]
    is_this: Annotated[bool, words("Whether the request was made with it.")]
    browser: Annotated[str, words("Such as `Firefox on Linux`; empty if unknown.")]
    address: Annotated[str, words("Where it was made from, or the address of a proxy; empty if unknown.")]
    created_at: str
    used_at: Annotated[str, words("When it was last used, up to five minutes late.")]
    expires_at: Annotated[str, words("30 days after its last use.")]


class LoginList(Outgoing):
    logins: list[ShownLogin]


class LoginListRoutes:
    """Lists and ends logins: a principal's own, and for the operator those of all principals."""

    def __init__(self, desk: LoginDesk, *, operator: str) -> None:
        self._desk = desk
        self._operator = operator

    def routes(self) -> list[Route]:
        return [
            Route("/api/logins", self.show, methods=["GET"]),
            Route("/api/logins", self.end, methods=["DELETE"]),
        ]

    async def show(self, request: Request) -> Response:
        logins = await self._visible_to(request)
        return JsonAnswer(LoginList(logins=[_shown(login, is_this=_is_this(request, login)) for login in logins]))

    async def end(self, request: Request) -> Response:
        asked = read_texts(EndedLogins, request.query_params)
        wanted, others = asked.id, asked.others
        if bool(wanted) == bool(others) or (others and others not in _TRUE):
            raise InvalidRequest("Say which login: either its id, or others=true for all but the one that asks.")
        logins = await self._visible_to(request)
        chosen = [login for login in logins if _is_wanted(request, login, wanted)]
        if wanted and not chosen:
            raise LoginNotFound
        for login in chosen:
            await self._desk.end(login.digest)
        return JsonAnswer(LoginsEnded(ended=len(chosen)))

    async def _visible_to(self, request: Request) -> list[Login]:
        principal: str = request.state.principal
        return await self._desk.logins(None if principal == self._operator else principal)


def _is_wanted(request: Request, login: Login, wanted: str) -> bool:
    """Return whether this login was asked for; without an id that is every login but the caller's."""
    return login.id == wanted if wanted else not _is_this(request, login)


def _is_this(request: Request, login: Login) -> bool:
    return bool(login.digest == request.state.login)


def _shown(login: Login, *, is_this: bool) -> ShownLogin:
    return ShownLogin(
        id=login.id,
        name=login.principal,
        is_this=is_this,
        browser=browser_name(login.browser),
        address=login.address,
        created_at=time_text(login.created_at),
        used_at=time_text(login.used_at),
        expires_at=time_text(login.expires_at),
    )
