"""Lanes: where a turn of the API continues from, which is a conversation, another response, a session or nothing."""

from dataclasses import dataclass, replace

from starlette.requests import Request

from wakeful.gateway.openai.api import Api, turn_id_of
from wakeful.gateway.openai.errors import NO_RETRY, ApiError
from wakeful.model.api.conversation import Conversation
from wakeful.model.api.request import request_as_far_as_known
from wakeful.model.ids import new_id
from wakeful.model.session import Session
from wakeful.model.turn import Turn, TurnStatus
from wakeful.store.base import Transaction

_CONVERSATION = "conv_"


@dataclass(frozen=True, slots=True)
class ApiLane:
    session_id: str
    # A session that is made when the turn opens.
    new_session: Session | None = None
    conversation_id: str | None = None
    # The conversation of the new session, if its name is used for the first time.
    new_conversation: Conversation | None = None
    # Whether the turn follows the last one that completed. In a session of another door it follows the last turn, as
    # all turns do there: otherwise failed turns would vanish from the page.
    from_checkpoint: bool = True
    # The session's model, for clients that ask for none; empty for the configured one.
    model: str = ""

    @property
    def is_kept(self) -> bool:
        """Whether later requests can continue in this lane."""
        return self.new_session is None or self.new_conversation is not None

    def grows_from(self, session: Session) -> str | None:
        """Return the turn that the next one follows."""
        return session.checkpoint if self.from_checkpoint else session.head


class Lanes:
    def __init__(self, api: Api) -> None:
        self._api = api

    async def find(self, request: Request, model: str, conversation: str, previous: str) -> ApiLane:
        """Return the lane of this conversation, or a new one that follows the previous response, if any.

        Raises ApiError.
        """
        if conversation:
            found = await self.conversation(request, conversation)
            if found is None:
                return self._new_name(request.state.principal, model, conversation)
            return ApiLane(found.session_id, conversation_id=found.id)
        parent = await self._previous(request, previous) if previous else None
        session = self._new_session(request.state.principal, model, parent)
        return ApiLane(session.id, session)

    async def conversation(self, request: Request, named: str) -> Conversation | None:
        """Find a conversation by its id or its name. Return None for an unused name. Raises ApiError."""
        owner: str = request.state.principal

        async def body(tx: Transaction) -> tuple[Conversation | None, bool]:
            # No id or name has a NUL, and PostgreSQL refuses one in a text.
            if "\0" in named:
                return None, False
            by_id = named.startswith(_CONVERSATION)
            found = await (tx.conversations.get(named) if by_id else tx.conversations.named(owner, named))
            return found, found is not None and await _is_deleted(tx, found)

        found, is_deleted = await self._api.store.read(body)
        if found is None and not named.startswith(_CONVERSATION):
            return None
        # The name of a deleted conversation stays taken until it is purged.
        if found is None or is_deleted or not self._api.may_see(request, found.owner):
            raise no_conversation(named)
        return found

    async def create(self, owner: str, model: str, metadata: bytes) -> Conversation:
        blank = replace(self._new_session(owner, model, None), title="Conversation", is_listed=True)

        async def body(tx: Transaction) -> Conversation:
            now = await tx.now()
            session = replace(blank, created_at=now, updated_at=now)
            made = Conversation(new_id("conv"), owner, session.id, metadata=metadata, created_at=now)
            await tx.sessions.create_if_absent(session)
            await tx.conversations.create_if_absent(made)
            return made

        return await self._api.store.write(body)

    def _new_name(self, owner: str, model: str, name: str) -> ApiLane:
        session = replace(self._new_session(owner, model, None), title=name, is_listed=True)
        made = Conversation(new_id("conv"), owner, session.id, name)
        return ApiLane(session.id, session, made.id, made)

    async def _previous(self, request: Request, previous: str) -> Turn:
        async def body(tx: Transaction) -> tuple[Turn | None, bool]:
            found = await self._api.find_turn(tx, request, turn_id_of(previous))
            if found is None or request_as_far_as_known(found[0].request).kind != "response":
                return None, False
            return found[0], await _has_completed(tx, found[0])

        turn, has_completed = await self._api.store.read(body)
        param = "previous_response_id"
        if turn is None:
            raise ApiError(400, "previous_response_not_found", f"There is no response {previous}.", param=param)
        if not has_completed:
            message = f"The response {previous} has not completed."
            raise ApiError(409, "previous_response_not_completed", message, param=param, headers=NO_RETRY)
        return turn

    def _new_session(self, owner: str, model: str, parent: Turn | None) -> Session:
        """Return the session for one response. It is not listed; a conversation's is."""
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
    """Return whether the turn ended with a whole answer."""
    if turn.status is not TurnStatus.DONE:
        return False
    (last,) = await tx.events.of_turn(turn.id, turn.last_seq - 1, 1)
    return "incomplete" not in last.data


async def _is_deleted(tx: Transaction, conversation: Conversation) -> bool:
    session = await tx.sessions.get(conversation.session_id)
    return session is None or session.is_deleted


def no_conversation(named: str) -> ApiError:
    return ApiError(404, "conversation_not_found", f"There is no conversation {named}.", param="conversation")
