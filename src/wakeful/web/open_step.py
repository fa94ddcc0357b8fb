"""The step that is being answered: what it has said so far is in the log, and not yet in the journal."""

from collections.abc import Sequence
from typing import Any

from wakeful.model import event as events
from wakeful.model.event import Event
from wakeful.model.turn import Turn
from wakeful.store.base import Transaction

# Events read at once, from the end backwards: a long turn is not read for the sake of its last words.
_WINDOW = 256
_FIELDS = {events.TOKEN: "text", events.REASONING: "reasoning"}


async def read_open_step(tx: Transaction, turn: Turn, upto: int | None = None) -> list[Event]:
    """The words and thoughts of the step that was being answered when the session's event `upto` was told, or when
    the turn broke off.
    """
    found: list[Event] = []
    after = turn.last_seq
    while after > 0:
        before, after = after, max(0, after - _WINDOW)
        window = await tx.events.of_turn(turn.id, after, before - after)
        told = [event for event in window if _is_before(event, upto)]
        found[:0] = told
        if any(event.kind not in _FIELDS for event in told):
            break
    return _of_last_step(found)


def partial_form(told: Sequence[Event]) -> dict[str, Any] | None:
    """An open step as people see it; None between two steps, and before the first word of one."""
    if not told:
        return None
    pieces: dict[str, list[str]] = {"text": [], "reasoning": []}
    for event in told:
        pieces[_FIELDS[event.kind]].append(event.data["text"])
    return {"step": told[0].data["step"]} | {name: "".join(texts) for name, texts in pieces.items()}


def _is_before(event: Event, upto: int | None) -> bool:
    return event.kind not in events.FINAL_KINDS and (upto is None or event.session_seq <= upto)


def _of_last_step(told: Sequence[Event]) -> list[Event]:
    last: list[Event] = []
    for event in reversed(told):
        if event.kind not in _FIELDS or (last and event.data["step"] != last[-1].data["step"]):
            break
        last.append(event)
    return last[::-1]
