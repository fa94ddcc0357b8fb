"""Facts on their way into the log get their numbers, one after another."""

from collections.abc import Iterable
from dataclasses import replace

from wakeful.model.event import Event, NewEvent
from wakeful.model.opening import Opened, Opening


def number(
    facts: Iterable[NewEvent], session_id: str, session_seq: int, turn_id: str | None, turn_seq: int, at: float
) -> list[Event]:
    """`session_seq` and `turn_seq` are the last numbers that were given before."""
    return [
        Event(
            session_id,
            session_seq + place,
            turn_id,
            None if turn_id is None else turn_seq + place,
            fact.kind,
            fact.kept,
            at,
            fact.ends,
            fact.quote,
        )
        for place, fact in enumerate(facts, start=1)
    ]


def opened(opening: Opening, session_seq: int, at: float) -> Opened:
    """An opening that was written at this time, after this number of its session's log."""
    turn = replace(opening.turn, opened_at=opening.turn.opened_at or at)
    return Opened(turn, number_opening(opening, session_seq, at))


def number_opening(opening: Opening, session_seq: int, at: float) -> list[Event]:
    """The first facts of the turn, and those of its session after them."""
    turn = opening.turn
    facts = number(opening.facts, turn.session_id, session_seq, turn.id, 0, at)
    return facts + number(opening.session_facts, turn.session_id, session_seq + len(facts), None, 0, at)
