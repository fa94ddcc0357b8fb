"""The routes that log browsers in and out."""

from collections.abc import Mapping
from math import ceil
from typing import Annotated, Any, ClassVar

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wakeful.gateway.entrance.logins.cookie import LoginCookie
from wakeful.gateway.entrance.logins.desk import LoginDesk, LoginLinks, TokenInvalid, TokenUsed, Visitor
from wakeful.gateway.entrance.logins.password import Password
from wakeful.gateway.entrance.logins.tries import Tries
from wakeful.gateway.entrance.origin import is_foreign_write, is_own_write, refuse_foreign_origin
from wakeful.gateway.entrance.own_address import OwnAddress
from wakeful.wire.answer import JsonAnswer, Ok
from wakeful.wire.body import read_object
from wakeful.wire.declared import Incoming, Outgoing, says, words
from wakeful.wire.errors import InvalidRequest, error_response
from wakeful.wire.reading import read

# Small, because anyone may send a login without a key.
_BODY_KIB = 16
_LONGEST_BROWSER = 300


_EITHER = "The body must have either the text token or the text password."


class Credential(Incoming):
    token: Annotated[
        str | None,
        Meta(min_length=1),
        words("The part after `#token=` in a link; good for one login, within an hour."),
        says(_EITHER),
    ] = None
    password: Annotated[str | None, Meta(min_length=1), words("The operator's, where one is set."), says(_EITHER)] = (
        None
    )

    more_schema: ClassVar[Mapping[str, Any]] = {
        "oneOf": [{"required": [name], "properties": {name: {"type": "string"}}} for name in ("token", "password")]
    }


class LinkFor(Incoming, rename={"name": "as"}):
    name: Annotated[
        str | None,
        Meta(min_length=1),
        words("The name of a key's holder; your own by default. Only the operator may name others."),
        says("{} must be the name of a key's holder."),
    ] = None


class LoginLink(Outgoing):
    url: str


class LoginRoutes:
    def __init__(
        self, desk: LoginDesk, links: LoginLinks, password: Password, address: OwnAddress, *, operator: str
    ) -> None:
        self._desk = desk
        self._links = links
        self._password = password
        self._address = address
        self._cookie = LoginCookie(address)
        # The principal that the password logs in.
        self._operator = operator
        self._tries = Tries()

    def routes(self) -> list[Route]:
        return [
            Route("/api/login", self.log_in, methods=["POST"]),
            Route("/api/login/link", self.new_link, methods=["POST"]),
            Route("/api/logout", self.log_out, methods=["POST"]),
        ]

    async def log_in(self, request: Request) -> Response:
        # A foreign page could otherwise log the browser in as another user, who could later read what is written there.
        if is_foreign_write(request.scope, self._address):
            return refuse_foreign_origin()
        given = read(Credential, await read_object(request, kib=_BODY_KIB))
        found = await self._admit(given, _visitor(request))
        if isinstance(found, Response):
            return found
        if old := self._cookie.secret_in(request):
            await self._desk.log_out(old)
        response = JsonAnswer(Ok())
        self._cookie.set_on(request, response, found)
        return response

    async def log_out(self, request: Request) -> Response:
        """Remove the cookie even if its login is no longer valid."""
        secret = self._cookie.secret_in(request)
        if secret and not is_own_write(request.scope, self._address):
            return refuse_foreign_origin()
        if secret:
            await self._desk.log_out(secret)
        response = JsonAnswer(Ok())
        self._cookie.remove_on(request, response)
        return response

    async def new_link(self, request: Request) -> Response:
        """Return a login link: the operator may ask for any principal's, others only for their own."""
        principal: str = request.state.principal
        given = read(LinkFor, await read_object(request, kib=_BODY_KIB))
        name = principal if given.name is None else given.name
        if name != principal and principal != self._operator:
            return error_response(403, "forbidden", "Only the operator can make links for others.")
        if name not in self._desk.names:
            raise InvalidRequest(f"as must be the name of a key's holder: {', '.join(sorted(self._desk.names))}.")
        url = await self._links.new(name)
        if url is None:
            message = "The process that holds this home serves no page: end it and start wakeful serve."
            return error_response(409, "no_page", message)
        return JsonAnswer(LoginLink(url=url))

    async def _admit(self, given: Credential, visitor: Visitor) -> str | Response:
        if given.token is not None and given.password is None:
            return await self._with_token(given.token, visitor)
        if given.password is not None and given.token is None:
            return await self._with_password(given.password, visitor)
        raise InvalidRequest(_EITHER)

    async def _with_token(self, token: str, visitor: Visitor) -> str | Response:
        # A valid token is accepted even after too many failures: it cannot be guessed, so no lockout is needed.
        try:
            return await self._desk.redeem(token, visitor)
        except TokenUsed as error:
            code, message = "token_used", str(error)
        except TokenInvalid as error:
            code, message = "invalid_token", str(error)
        return self._failed(visitor.address, code, message)

    async def _with_password(self, word: str, visitor: Visitor) -> str | Response:
        if self._tries.wait(visitor.address) == 0 and self._password.fits(word):
            return await self._desk.log_in(self._operator, visitor)
        is_set = self._password.is_set
        return self._failed(visitor.address, "invalid_password", _WRONG if is_set else _NO_PASSWORD)

    def _failed(self, client: str, code: str, message: str) -> Response:
        if wait := self._tries.wait(client):
            again = {"retry-after": str(ceil(wait))}
            return error_response(429, "too_many_tries", f"Too many tries: try again in {ceil(wait)} s.", again)
        self._tries.fail(client)
        return error_response(401, code, message)


_WRONG = "The password is wrong."
_NO_PASSWORD = "This server has no password: use the link that `wakeful login` prints."


def _visitor(request: Request) -> Visitor:
    name = request.headers.get("user-agent", "")[:_LONGEST_BROWSER]
    shown = "".join(letter for letter in name if letter.isascii() and letter.isprintable())
    return Visitor(shown, request.client.host if request.client else "")
