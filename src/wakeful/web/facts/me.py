"""The route that says who the caller is and which server answers."""

from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wakeful.model.approvals.mode import Mode
from wakeful.wire.answer import JsonAnswer
from wakeful.wire.declared import Outgoing, words

SandboxKind: TypeAlias = Literal["bwrap", "none"]


@dataclass(frozen=True, slots=True)
class ServerFacts:
    # The name of the machine.
    host: str
    version: str
    # For sessions that name no model.
    model: str
    # For sessions that have none of their own.
    mode: Mode
    # What agents' commands run in.
    sandbox: SandboxKind
    has_password: bool
    # How long a deleted session can be brought back.
    undo_seconds: float
    config_file: str


class Me(Outgoing):
    name: str
    is_operator: bool
    host: str
    version: str
    model: str
    mode: Annotated[Mode, words("Of sessions that have none of their own.")]
    sandbox: Annotated[SandboxKind, words("What agents' commands run in.")]
    has_password: bool
    undo_seconds: Annotated[float, Meta(ge=0)]
    config_file: Annotated[str | None, words("Where the settings stand, for the operator alone.")]


class MeRoutes:
    def __init__(self, server: ServerFacts, operator: str) -> None:
        self._server = server
        self._operator = operator

    def routes(self) -> list[Route]:
        return [Route("/api/me", self.show, methods=["GET"])]

    async def show(self, request: Request) -> Response:
        name = request.state.principal
        is_operator = name == self._operator
        server = self._server
        shown = Me(
            name=name,
            is_operator=is_operator,
            host=server.host,
            version=server.version,
            model=server.model,
            mode=server.mode,
            sandbox=server.sandbox,
            has_password=server.has_password,
            undo_seconds=server.undo_seconds,
            config_file=server.config_file if is_operator else None,
        )
        return JsonAnswer(shown)
