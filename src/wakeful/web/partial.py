"""The step that is being answered: what it has said so far is in the log, and not yet in the journal."""

from typing import Any

from wakeful.model import event as events
from wakeful.model.event import Event
from wakeful.model.turn import Turn
from wakeful.store.base import Transaction

# Events read at once, from the end backwards: a long turn is not read for the sake of its last words.
_WINDOW = 256
_FIELDS = {events.TOKEN: "text", events.REASONING: "reasoning"}


async def partial_step(tx: Transaction, turn: Turn) -> dict[str, Any] | None:
    """None between two steps, and before the first word of one."""
    told: list[Event] = []
    after = turn.last_seq
    while after > 0:
        before, after = after, max(0, after - _WINDOW)
        window = await tx.events.of_turn(turn.id, after, before - after)
        told[:0] = window
        if any(event.kind not in _FIELDS for event in window):
            break
    return _fold(told)


def _fold(told: list[Event]) -> dict[str, Any] | None:
    pieces: dict[str, list[str]] = {"text": [], "reasoning": []}
    step = None
    for event in reversed(told):
        if event.kind not in _FIELDS:
            break
        data = event.data
        if step is not None and data["step"] != step:
            break
        step = data["step"]
        pieces[_FIELDS[event.kind]].append(data["text"])
    return None if step is None else {"step": step} | {name: "".join(texts[::-1]) for name, texts in pieces.items()}
