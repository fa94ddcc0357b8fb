"""Conversations of some turns, for what goes back in them or goes on from them."""

from collections.abc import Sequence
from typing import Any

from tests.store.nouns import close_turn, have_turn
from wakeful.model.journal.entry import Entry, input_entry
from wakeful.model.session import Session
from wakeful.model.turn import Outcome, Turn, TurnStatus
from wakeful.store.base import Store

FAILED = Outcome(TurnStatus.FAILED, "broken", "")


def said(turn_id: str, text: str, step: int = 0, index: int = 0, **more: Any) -> Entry:
    return input_entry(turn_id, step, index, {"source": "user", "message_id": "m", "text": text} | more)


async def have_chain(store: Store, *turns: str, session_id: str = "s1", **outcomes: Outcome) -> None:
    """Have closed turns that grow from each other, each with one message."""
    parent = None
    for turn_id in turns:
        await have_turn(store, turn_id, session_id, parent=parent)
        await record(store, [said(turn_id, f"say {turn_id}")], session_id)
        outcome = outcomes.get(turn_id, Outcome(TurnStatus.DONE))
        is_done = outcome.status is TurnStatus.DONE
        await close_turn(store, turn_id, outcome, **({"checkpoint": turn_id} if is_done else {}))
        parent = turn_id


async def record(store: Store, entries: Sequence[Entry], session_id: str = "s1") -> None:
    await store.write(lambda tx: tx.journal.add(entries), lock=[session_id])


async def session_of(store: Store, session_id: str = "s1") -> Session:
    session = await store.read(lambda tx: tx.sessions.get(session_id))
    assert session is not None
    return session


async def turn_of(store: Store, turn_id: str) -> Turn:
    turn = await store.read(lambda tx: tx.turns.get(turn_id))
    assert turn is not None
    return turn
