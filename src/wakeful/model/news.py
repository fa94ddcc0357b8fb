"""News: an event that its owner wants to hear of, whichever of their sessions is in view."""

from dataclasses import dataclass

from wakeful.model.event import Event


@dataclass(frozen=True, slots=True)
class News:
    # Counted for each owner from 1, in the order of the commits: a cursor over all of their sessions.
    number: int
    event: Event
    # Of its session, as they are now.
    title: str
    last_seq: int
