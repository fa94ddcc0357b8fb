"""How the postman has to treat a destination: its form of text, its pace, its order."""

from dataclasses import dataclass

from wakeful.gateway.messaging.text.form import TextForm


@dataclass(frozen=True, slots=True)
class Manner:
    form: TextForm
    # How long a request may go unanswered, and how long after it its outcome is looked up.
    send_timeout: float
    settle_seconds: float
    # The shortest time between two edits of one message.
    edit_seconds: float = 0.0
    # Where no post waits for another, and there may be very many: how many requests are under way at most.
    unordered_slots: int | None = None
