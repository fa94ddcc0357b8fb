"""Numbers new facts for the log."""

from collections.abc import Iterable
from dataclasses import replace

from wakeful.model.event import Event, NewEvent
from wakeful.model.opening import Opened, Opening


def number(
    facts: Iterable[NewEvent], session_id: str, session_seq: int, turn_id: str | None, turn_seq: int, at: float
) -> list[Event]:
    """Return the facts as numbered events; `session_seq` and `turn_seq` are the last numbers in use."""
    return [
        Event(
            session_id,
            session_seq + offset,
            turn_id,
            None if turn_id is None else turn_seq + offset,
            fact.kind,
            fact.kept,
            at,
            fact.ends,
            fact.quote,
        )
        for offset, fact in enumerate(facts, start=1)
    ]


def opened(opening: Opening, session_seq: int, at: float) -> Opened:
    """Return an opening that was written at this time, after this number in its session's log."""
    turn = replace(opening.turn, opened_at=opening.turn.opened_at or at)
    return Opened(turn, number_opening(opening, session_seq, at))


def number_opening(opening: Opening, session_seq: int, at: float) -> list[Event]:
    """Number the first facts of the turn, and then those of its session."""
    turn = opening.turn
    facts = number(opening.facts, turn.session_id, session_seq, turn.id, 0, at)
    return facts + number(opening.session_facts, turn.session_id, session_seq + len(facts), None, 0, at)
