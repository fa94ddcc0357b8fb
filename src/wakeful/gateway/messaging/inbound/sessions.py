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
    """What the sessions of chats and hooks begin with."""

    owner: str
    model: str
    workspace: Path

    def make(self, address: Address, key: str, name: str, title: str = "") -> Session:
        """Return the session of the chat with this key and name. It is stored together with its first message."""
        return Session(
            new_id("ses"),
            self.owner,
            Address(address.platform, address.chat_id, address.thread_id),
            self.model,
            str(self.workspace),
            title=title,
            chat_key=key,
            chat_name=name,
        )


@dataclass(frozen=True, slots=True)
class ChatSessions:
    store: Store
    scope: SessionScope
    new: NewSessions

    def key(self, message: IncomingMessage) -> str:
        address = message.address
        user_id = address.sender.user_id
        return chat_key(address.platform, message.kind, address.chat_id, address.thread_id, user_id, self.scope)

    async def current(self, message: IncomingMessage) -> Session | None:
        """Return the session that the chat has now, unless it was deleted."""

        async def body(tx: Transaction) -> Session | None:
            chat = await tx.chats.get(self.key(message))
            session = None if chat is None else await tx.sessions.get(chat.session_id)
            return None if session is None or session.is_deleted else session

        return await self.store.read(body)

    def make(self, message: IncomingMessage) -> Session:
        return self.new.make(message.address, self.key(message), message.address.sender.chat_name)

    async def point(self, tx: Transaction, message: IncomingMessage, session_id: str) -> None:
        """Let the chat go on in this session, and remember its newest message."""
        address, sender = message.address, message.address.sender
        chat = Chat(
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
        await tx.chats.put(chat)
