"""The route that lists the hooks: where other programs post to, and when one last did."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wakeful.engine.inbox.target_chat import target_chat
from wakeful.model.messaging.chat import SessionScope
from wakeful.model.schedules.target import target_text
from wakeful.model.session import Address
from wakeful.model.tasks.task_data import time_text
from wakeful.store.base import Transaction
from wakeful.web.web import Web
from wakeful.wire.answer import JsonAnswer
from wakeful.wire.declared import Outgoing, words

# As its deliveries and its session are stored.
_PLATFORM = "hook"


@dataclass(frozen=True, slots=True)
class HookFacts:
    """What may be shown of a hook: all but its secret."""

    name: str
    # `standard` or `github`.
    signature: str
    # With the server's public address, if that is known.
    url: str
    # The chat that its messages go to; None: a session of its own.
    deliver: Address | None
    # What gets a session of its own on the platform of that chat.
    scope: SessionScope = SessionScope.THREAD


class ShownHook(Outgoing):
    name: str
    signature: Annotated[str, words("`standard` or `github`.")]
    url: Annotated[str, words("Where to post; only a path while the server does not know its public address.")]
    deliver: Annotated[
        str, words("The chat that its messages go to, such as `telegram:12345`; empty: its own session.")
    ]
    session_id: Annotated[str | None, words("Where the next message goes; null before the first one.")]
    last_at: Annotated[str | None, words("When a delivery was last accepted, within the last weeks.")]


class HookList(Outgoing):
    hooks: list[ShownHook]


class HookListRoutes:
    def __init__(self, web: Web, hooks: Sequence[HookFacts]) -> None:
        self._web = web
        self._hooks = hooks

    def routes(self) -> list[Route]:
        return [Route("/api/hooks", self.show, methods=["GET"])]

    async def show(self, request: Request) -> Response:
        async def body(tx: Transaction) -> list[ShownHook]:
            return [await _shown(tx, hook) for hook in self._hooks]

        self._web.require_operator(request)
        return JsonAnswer(HookList(hooks=await self._web.store.read(body)))


async def _shown(tx: Transaction, hook: HookFacts) -> ShownHook:
    last_at = await tx.chats.last_taken(_PLATFORM, hook.name)
    return ShownHook(
        name=hook.name,
        signature=hook.signature,
        url=hook.url,
        deliver="" if hook.deliver is None else target_text(hook.deliver),
        session_id=await _session_id(tx, hook),
        last_at=None if last_at is None else time_text(last_at),
    )


async def _session_id(tx: Transaction, hook: HookFacts) -> str | None:
    if hook.deliver is not None:
        return (await target_chat(tx, hook.deliver, hook.scope)).session_id or None
    chat = await tx.chats.get(f"{_PLATFORM}:{hook.name}")
    return None if chat is None else chat.session_id
