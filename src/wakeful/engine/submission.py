"""A message on its way in, and the answer its sender gets."""

from dataclasses import dataclass

from wakeful.model.inbox import IfBusy
from wakeful.model.session import Address
from wakeful.model.turn import Door


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


@dataclass(frozen=True, slots=True)
class Receipt:
    session_id: str
    # The id of the turn that will answer. Its events can be followed at once; they begin when it opens.
    turn_id: str
    is_queued: bool
    is_duplicate: bool = False
