"""A message on its way in, and the answer its sender gets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wakeful.model.conversation import Conversation
from wakeful.model.inbox import IfBusy
from wakeful.model.request import TurnRequest
from wakeful.model.session import Address, Session
from wakeful.model.turn import Door, Turn


@dataclass(frozen=True, slots=True)
class Submission:
    session_id: str
    text: str
    door: Door
    address: Address
    # The sender's own name for the message: the same one twice is one message.
    dedupe_key: str
    model: str
    source: str = "user"
    if_busy: IfBusy = IfBusy.QUEUE
    # Words of several roles, calls and results, in place of the text: see model/journal.py.
    inputs: Sequence[Mapping[str, Any]] = ()
    # What the client asks of the turn beside them.
    request: TurnRequest = field(default_factory=TurnRequest)
    # Grow from the latest turn that completed, not from the last one.
    from_checkpoint: bool = False
    # The id that the turn will have; empty: a new one.
    turn_id: str = ""
    # A session that is made with the message, and the conversation that it is to an API client.
    session: Session | None = None
    conversation: Conversation | None = None

    @property
    def interrupts(self) -> bool:
        return self.if_busy is IfBusy.INTERRUPT


@dataclass(frozen=True, slots=True)
class Receipt:
    session_id: str
    # The id of the turn that will answer. Its events can be followed at once; they begin when it opens.
    turn_id: str
    is_queued: bool
    # The turn itself, where this message has opened it.
    turn: Turn | None = None

    @classmethod
    def opened(cls, turn: Turn) -> "Receipt":
        return cls(turn.session_id, turn.id, is_queued=False, turn=turn)
