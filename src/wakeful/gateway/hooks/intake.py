"""Puts the message of a hook into the inbox of its session: the hook's own, or that of the chat it delivers to."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from wakeful.engine.engine import Engine
from wakeful.engine.inbox.submission import Receipt, Submission
from wakeful.engine.inbox.target_chat import target_chat
from wakeful.errors import SessionNotFound, WakefulError
from wakeful.gateway.hooks.hook import Hook
from wakeful.gateway.messaging.inbound.sessions import NewSessions
from wakeful.gateway.messaging.settings import DoorSettings
from wakeful.gateway.platforms.chat import CHAT_ADAPTERS, HookAdapter
from wakeful.model.ids import new_id
from wakeful.model.messaging.chat import Chat, ChatKind
from wakeful.model.session import Address, Sender, Session
from wakeful.store.base import Store, Transaction

_SOURCE = "webhook"


class _HookMoved(WakefulError):
    """The chat has another session than a moment ago."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the messages of a hook go on now."""

    # Without a session if nothing has been said there yet.
    chat: Chat
    # None: there is none, or it was deleted.
    session: Session | None

    @property
    def address(self) -> Address:
        return Address(self.chat.platform, self.chat.chat_id, self.chat.thread_id)


class HookIntake:
    def __init__(self, engine: Engine, store: Store, doors: Mapping[str, DoorSettings], new: NewSessions) -> None:
        """`doors` are the messaging doors that hooks may deliver to."""
        self._engine = engine
        self._store = store
        self._doors = doors
        self._new = new

    async def submit(self, hook: Hook, delivery_id: str, text: str) -> bool:
        """Commit the message, and return whether it is new: a delivery that was taken before changes nothing."""
        while True:
            place = await self._store.read(partial(self._place, hook))
            submission = self._submission(hook, place, delivery_id, text)
            before = partial(self._enter, hook, place, submission, delivery_id)
            try:
                receipt = await self._engine.submit(submission, before=before)
            except (_HookMoved, SessionNotFound):
                continue
            return receipt.turn_id == submission.turn_id

    async def _place(self, hook: Hook, tx: Transaction) -> _Place:
        chat = await self._chat(hook, tx)
        session = await tx.sessions.get(chat.session_id) if chat.session_id else None
        return _Place(chat, None if session is None or session.is_deleted else session)

    async def _chat(self, hook: Hook, tx: Transaction) -> Chat:
        if hook.deliver is None:
            known = await tx.chats.get(hook.key)
            return known or Chat(hook.key, HookAdapter.name, ChatKind.PRIVATE, hook.name, "", "", f"Hook {hook.name}")
        return await target_chat(tx, hook.deliver, self._doors[hook.deliver.platform].sessions)

    def _submission(self, hook: Hook, place: _Place, delivery_id: str, text: str) -> Submission:
        chat = place.chat
        where = hook.deliver or Address(HookAdapter.name, hook.name)
        title = "" if hook.deliver else chat.name
        session = place.session or self._new.make(place.address, chat.key, chat.name, title)
        adapter = CHAT_ADAPTERS.get(where.platform, HookAdapter)
        return Submission(
            session_id=session.id,
            text=text,
            door=adapter.door(),
            address=replace(where, sender=Sender(chat_name=chat.name, chat_key=chat.key)),
            dedupe_key=f"{hook.key}:{delivery_id}",
            model=session.model or self._new.model,
            source=_SOURCE,
            turn_id=new_id("turn"),
            session=session if place.session is None else None,
        )

    async def _enter(
        self, hook: Hook, place: _Place, submission: Submission, delivery_id: str, tx: Transaction
    ) -> Receipt | None:
        """Write down that the delivery was taken and where its chat goes on; a receipt if it was taken before."""
        # Not by the inbox alone: `/new` gives the chat another session, with an inbox of its own.
        delivery = Address(HookAdapter.name, hook.name, sender=Sender(delivery_id))
        if not await tx.chats.take(delivery, await tx.now()):
            return Receipt(submission.session_id, "", is_queued=False)
        if not await self._is_still(place, submission, tx):
            raise _HookMoved
        return None

    async def _is_still(self, place: _Place, submission: Submission, tx: Transaction) -> bool:
        """Return whether messages go on where they did a moment ago; a new session becomes that of the chat."""
        if place.session is None:
            pointed = replace(place.chat, session_id=submission.session_id)
            return await tx.chats.put_if_at(pointed, place.chat.session_id)
        chat = await tx.chats.get(place.chat.key)
        return chat is not None and chat.session_id == place.session.id
