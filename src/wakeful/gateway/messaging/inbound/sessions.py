"""The sessions of chats: which one a message goes to, and what a new one begins with."""

from dataclasses import dataclass
from pathlib import Path

from wakeful.gateway.messaging.platform import IncomingMessage
from wakeful.model.ids import new_id
from wakeful.model.messaging.chat import Chat, SessionScope, chat_key
from wakeful.model.session import Address, Session
from wakeful.store.base import Store, Transaction


@dataclass(frozen=True, slots=True)
class NewSessions:
    """What the sessions of chats begin with."""

    owner: str
    model: str
    workspace: Path


class ChatSessions:
    def __init__(self, store: Store, scope: SessionScope, new: NewSessions) -> None:
        self._store = store
        self._scope = scope
        self._new = new

    def key(self, message: IncomingMessage) -> str:
        address = message.address
        return chat_key(
            address.platform,
            message.kind,
            address.chat_id,
            address.thread_id,
            address.sender.user_id,
            self._scope,
        )

    async def current(self, message: IncomingMessage) -> Session | None:
        """Return the session that the chat has now, unless it was deleted."""

        async def body(tx: Transaction) -> Session | None:
            chat = await tx.chats.get(self.key(message))
            session = None if chat is None else await tx.sessions.get(chat.session_id)
            return None if session is None or session.is_deleted else session

        return await self._store.read(body)

    def new(self, message: IncomingMessage) -> Session:
        address = message.address
        return Session(
            new_id("ses"),
            self._new.owner,
            Address(address.platform, address.chat_id, address.thread_id),
            self._new.model,
            str(self._new.workspace),
            chat_key=self.key(message),
            chat_name=address.sender.chat_name,
        )

    async def chat(self, tx: Transaction, message: IncomingMessage, session_id: str) -> Chat:
        """Return the chat of a message, as it goes on in this session."""
        address, sender = message.address, message.address.sender
        return Chat(
            self.key(message),
            address.platform,
            message.kind,
            address.chat_id,
            address.thread_id,
            session_id,
            sender.chat_name,
            sender.message_id,
            await tx.now(),
        )
