"""What the sessions of chats and hooks begin with."""

from dataclasses import dataclass
from pathlib import Path

from wakeful.model.ids import new_id
from wakeful.model.session import Address, Session


@dataclass(frozen=True, slots=True)
class NewSessions:
    owner: str
    model: str
    workspace: Path

    def make(self, address: Address, chat_key: str, chat_name: str, title: str = "") -> Session:
        """Return the session of a chat. It is stored together with its first message."""
        place = Address(address.platform, address.chat_id, address.thread_id)
        return Session(
            new_id("ses"),
            self.owner,
            place,
            self.model,
            str(self.workspace),
            title=title,
            chat_key=chat_key,
            chat_name=chat_name,
        )
