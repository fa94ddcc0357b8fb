"""The API over a real store and an engine that opens turns and runs none: what their logs say is up to a test."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson
from starlette.requests import Request

from wakeful.engine.inbox.submission import Receipt, Submission
from wakeful.gateway.openai.api import Api
from wakeful.gateway.platforms.api_server import APIServerAdapter
from wakeful.model.event import StreamItem
from wakeful.model.opening import Opening
from wakeful.model.turn import Turn, TurnStatus
from wakeful.store.base import Store, Transaction


@dataclass
class TakingEngine:
    store: Store
    submissions: list[Submission] = field(default_factory=list)
    # What the next submissions meet, in order, before anything of them is written.
    meets: list[Callable[[], Awaitable[None]]] = field(default_factory=list)
    # The pages of every turn's log; at their end it breaks off, or goes on without an end.
    pages: list[list[StreamItem]] = field(default_factory=list)
    is_endless: bool = False
    # Those who follow a log, and those who have left it.
    followers: int = 0
    left: int = 0
    cancelled: list[tuple[str, str]] = field(default_factory=list)

    async def submit(self, submission: Submission, *, before: Any = None) -> Receipt:
        if self.meets:
            await self.meets.pop(0)()

        async def body(tx: Transaction) -> Receipt:
            known: Receipt | None = None if before is None else await before(tx)
            if known is not None:
                return known
            if submission.session is not None:
                await tx.sessions.create_if_absent(submission.session)
            if submission.conversation is not None:
                await tx.conversations.create_if_absent(submission.conversation)
            turn = _turn_of(submission)
            await tx.open(Opening(turn))
            self.submissions.append(submission)
            return Receipt.opened(turn)

        return await self.store.write(body, lock=[submission.session_id])

    async def subscribe_turn(
        self, session_id: str, turn_id: str, *, starts_over: bool
    ) -> AsyncGenerator[list[StreamItem], None]:
        self.followers += 1
        try:
            for page in self.pages:
                yield page
            if self.is_endless:
                await asyncio.Event().wait()
        finally:
            self.left += 1

    async def stream_so_far(self, session_id: str, turn_id: str) -> list[StreamItem]:
        return [item for page in self.pages for item in page]

    async def cancel(self, session_id: str, turn_id: str) -> bool:
        self.cancelled.append((session_id, turn_id))
        return True


def _turn_of(submission: Submission) -> Turn:
    return Turn(
        id=submission.turn_id,
        session_id=submission.session_id,
        parent=None,
        door=submission.door,
        address=submission.address,
        source="user",
        is_wakeup=False,
        model=submission.model,
        status=TurnStatus.RUNNING,
        node="node",
        epoch=1,
        request=submission.request.dump(),
    )


def taking_api(engine: Any) -> Api:
    async def model(name: str) -> str | None:
        return None if name == "none" else name or "demo:model"

    return Api(
        engine=engine,
        store=engine.store,
        door=APIServerAdapter.door(),
        resolve_model=model,
        models=lambda: (),
        operator="operator",
        workspace="/",
    )


class Slot:
    """Notes whether a request counts."""

    def __init__(self) -> None:
        self.steps: list[str] = []

    def take(self) -> None:
        self.steps.append("taken")

    def give_back(self) -> None:
        self.steps.append("given back")


def asking(
    body: Mapping[str, Any],
    owner: str = "alice",
    *,
    left: asyncio.Event | None = None,
    path: Mapping[str, str] | None = None,
    query: str = "",
    **headers: str,
) -> Request:
    """Return a request with these parts of its path and this query, whose client is gone when `left` is set."""
    given = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    sent = [{"type": "http.request", "body": orjson.dumps(body), "more_body": False}]

    async def receive() -> Any:
        if sent:
            return sent.pop()
        await (left or asyncio.Event()).wait()
        return {"type": "http.disconnect"}

    scope = {
        "type": "http",
        "method": "POST",
        "path": "/",
        "query_string": query.encode(),
        "headers": given,
        "path_params": path or {},
        "state": {"principal": owner, "slot": Slot()},
    }
    return Request(scope, receive)
