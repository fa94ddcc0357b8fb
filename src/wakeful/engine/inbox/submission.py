"""A message on its way in, and the receipt that its sender gets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wakeful.model.api.conversation import Conversation
from wakeful.model.api.request import TurnRequest
from wakeful.model.files.attachment import Attachment
from wakeful.model.inbox import IfBusy
from wakeful.model.session import Address, Session
from wakeful.model.turn import Door, Turn


@dataclass(frozen=True, slots=True)
class Submission:
    session_id: str
    text: str
    door: Door
    address: Address
    # Chosen by the sender: two messages with the same key are one.
    dedupe_key: str
    model: str
    source: str = "user"
    if_busy: IfBusy = IfBusy.QUEUE
    # Messages of several roles, calls and results, used instead of the text: see model/journal/entry.py.
    inputs: Sequence[Mapping[str, Any]] = ()
    # Files that belong to the text.
    attachments: tuple[Attachment, ...] = ()
    # What else the client asks of the turn.
    request: TurnRequest = field(default_factory=TurnRequest)
    # Grow from the latest turn that completed instead of the last one.
    from_checkpoint: bool = False
    # A schedule that a person has run by hand.
    is_by_hand: bool = False
    # The id for the turn; empty for a new one.
    turn_id: str = ""
    # The session to create with the message, and the conversation that an API client knows it as.
    session: Session | None = None
    conversation: Conversation | None = None

    @property
    def interrupts(self) -> bool:
        return self.if_busy is IfBusy.INTERRUPT


@dataclass(frozen=True, slots=True)
class Receipt:
    session_id: str
    # The id of the turn that will answer. Clients may follow it at once; its events begin when it opens.
    turn_id: str
    is_queued: bool
    # The turn, if this message has opened it.
    turn: Turn | None = None

    @classmethod
    def opened(cls, turn: Turn) -> "Receipt":
        return cls(turn.session_id, turn.id, is_queued=False, turn=turn)
