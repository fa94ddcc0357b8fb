"""Where a response goes on from: a conversation, another response, or nothing."""

from dataclasses import dataclass, replace

from starlette.requests import Request

from wakeful.gateway.openai.api import Api, turn_id_of
from wakeful.gateway.openai.errors import ApiError
from wakeful.model.conversation import Conversation
from wakeful.model.ids import new_id
from wakeful.model.request import request_from
from wakeful.model.session import Session
from wakeful.model.turn import Turn, TurnStatus
from wakeful.store.base import Transaction

_CONVERSATION = "conv_"


@dataclass(frozen=True, slots=True)
class Lane:
    session_id: str
    # A session of this response's own, which is made with it; None where it joins a conversation.
    new_session: Session | None = None
    conversation_id: str | None = None


class Lanes:
    def __init__(self, api: Api) -> None:
        self._api = api

    async def find(self, request: Request, model: str, conversation: str, previous: str) -> Lane:
        """Raises ApiError."""
        if conversation:
            found = await self.conversation(request, conversation, model)
            return Lane(found.session_id, conversation_id=found.id)
        parent = await self._previous(request, previous) if previous else None
        session = self._new_session(request.state.principal, model, parent)
        return Lane(session.id, session)

    async def conversation(self, request: Request, named: str, model: str) -> Conversation:
        """By its id, or by a name, which makes one where there is none. Raises ApiError."""
        if not named.startswith(_CONVERSATION):
            return await self._named(request.state.principal, named, model)

        async def body(tx: Transaction) -> Conversation | None:
            # No id has a NUL in it, and PostgreSQL takes none in a text.
            found = None if "\0" in named else await tx.conversations.get(named)
            return None if found is None or await _is_deleted(tx, found) else found

        found = await self._api.store.read(body)
        if found is None or not self._api.may_see(request, found.owner):
            raise _no_conversation(named)
        return found

    async def create(self, owner: str, model: str, name: str = "", metadata: bytes = b"{}") -> Conversation:
        blank = replace(self._new_session(owner, model, None), title=name or "Conversation", is_listed=True)

        async def body(tx: Transaction) -> Conversation:
            now = await tx.now()
            session = replace(blank, created_at=now, updated_at=now)
            made = Conversation(new_id("conv"), owner, session.id, name, metadata, now)
            await tx.sessions.create_if_absent(session)
            if await tx.conversations.create_if_absent(made):
                return made
            # Somebody was quicker with the same name.
            known = await tx.conversations.named(owner, name)
            assert known is not None
            return known

        return await self._api.store.write(body)

    async def _named(self, owner: str, name: str, model: str) -> Conversation:
        async def body(tx: Transaction) -> Conversation | None:
            found = await tx.conversations.named(owner, name)
            if found is not None and await _is_deleted(tx, found):
                # Its name is free again when it is gone for good.
                raise _no_conversation(name)
            return found

        return await self._api.store.read(body) or await self.create(owner, model, name)

    async def _previous(self, request: Request, previous: str) -> Turn:
        async def body(tx: Transaction) -> tuple[Turn | None, bool]:
            found = await self._api.find_turn(tx, request, turn_id_of(previous))
            if found is None or request_from(found[0].request).kind != "response":
                return None, False
            return found[0], await _has_completed(tx, found[0])

        turn, has_completed = await self._api.store.read(body)
        param = "previous_response_id"
        if turn is None:
            raise ApiError(400, "previous_response_not_found", f"There is no response {previous}.", param=param)
        if not has_completed:
            message = f"The response {previous} has not completed."
            raise ApiError(409, "previous_response_not_completed", message, param=param, headers=_NO_RETRY)
        return turn

    def _new_session(self, owner: str, model: str, parent: Turn | None) -> Session:
        """For one response; a conversation's is one that people see."""
        head = None if parent is None else parent.id
        return Session(
            new_id("ses"),
            owner,
            self._api.address,
            model,
            self._api.workspace,
            is_listed=False,
            head=head,
            checkpoint=head,
        )


async def _has_completed(tx: Transaction, turn: Turn) -> bool:
    """Whether its answer is there, and whole: its last event says so."""
    if turn.status is not TurnStatus.DONE:
        return False
    (last,) = await tx.events.of_turn(turn.id, turn.last_seq - 1, 1)
    return "incomplete" not in last.data


_NO_RETRY = {"x-should-retry": "false"}


async def _is_deleted(tx: Transaction, conversation: Conversation) -> bool:
    session = await tx.sessions.get(conversation.session_id)
    return session is None or session.is_deleted


def _no_conversation(named: str) -> ApiError:
    return ApiError(404, "conversation_not_found", f"There is no conversation {named}.", param="conversation")
