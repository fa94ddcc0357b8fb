"""Which turns have words or long texts of an older version in their log."""

from tests.store.nouns import append, close_turn, have_turn
from wakeful.model.event import NewEvent, Quote
from wakeful.model.older.texts import LONG_BYTES
from wakeful.model.older.words import LookedAt
from wakeful.store.base import Store

LONG = b"x" * (LONG_BYTES + 1)
# The events of some turns, and whether one of them is old.
TURNS = {
    "t1": (NewEvent("token", b"x"), True),
    "t2": (NewEvent("reasoning", b"x"), True),
    "t3": (NewEvent("message", b"x" * LONG_BYTES), False),
    "t4": (NewEvent("message", LONG), True),
    "t5": (NewEvent("notice", LONG), True),
    "t6": (NewEvent("tool", LONG), True),
    "t7": (NewEvent("tool_complete", LONG), True),
    "t8": (NewEvent("usage", LONG), False),
    "t9": (NewEvent("message", LONG, quote=Quote(0, 0, {})), False),
}


async def test_a_turn_is_old_if_a_piece_or_a_long_text_that_quotes_nothing_is_an_event(store: Store) -> None:
    for turn_id, (event, _) in TURNS.items():
        lease = await have_turn(store, turn_id, f"s_{turn_id}")
        await append(store, lease, [NewEvent("done", b"{}"), event])
    await close_turn(store, "t2")

    found = await store.read(lambda tx: tx.old_words.turns_after("", 99))

    assert found == [
        LookedAt(turn_id, f"s_{turn_id}", is_closed=turn_id == "t2", is_old=is_old)
        for turn_id, (_, is_old) in TURNS.items()
    ]
    assert await store.read(lambda tx: tx.old_words.turns_after("t7", 99)) == found[7:]
    assert await store.read(lambda tx: tx.old_words.turns_after("t3", 2)) == found[3:5]


async def test_how_far_the_job_has_come_is_kept(store: Store) -> None:
    assert await store.read(lambda tx: tx.old_words.position()) == ""
    for position in ("t1", "t2"):
        await store.write(lambda tx, reached=position: tx.old_words.reach(reached))  # type: ignore[misc]
        assert await store.read(lambda tx: tx.old_words.position()) == position
