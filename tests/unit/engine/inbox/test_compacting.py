"""When a conversation can be summed up because its user wants that."""

import pytest

from tests.store.nouns import a_session, close_turn, have_session, have_turn
from tests.unit.engine.inbox.kit import record, said
from wakeful.engine.inbox.compacting import compaction_of, require_messages
from wakeful.errors import NothingToCompact, SessionBusy
from wakeful.model.api.request import COMPACT
from wakeful.model.inbox import IfBusy
from wakeful.model.journal.entry import summary_entry
from wakeful.model.journal.message import Usage
from wakeful.model.journal.summary import CompactionReason, Summary
from wakeful.model.turn import COMPACTION, Door
from wakeful.store.base import Store


def test_a_summary_that_a_user_wants_is_a_turn_that_nothing_joins() -> None:
    session = a_session()

    wanted = compaction_of(session, Door("web", async_delivery=True), "demo:big", "the plan")

    assert wanted.door == Door("web", async_delivery=False)
    assert (wanted.session_id, wanted.address, wanted.model) == ("s1", session.address, "demo:big")
    assert (wanted.source, wanted.if_busy) == (COMPACTION, IfBusy.REJECT)
    assert (wanted.request.kind, wanted.request.instructions) == (COMPACT, "the plan")


async def have_messages(store: Store, counts: list[int], summary_after: int | None = None) -> None:
    """Have turns with so many messages each; the one with this number ends with a summary."""
    summary = Summary("words", "", (), (), (), CompactionReason.MANUAL, 9, 1, "", Usage(0, 0))
    parent = None
    for number, count in enumerate(counts):
        turn_id = f"t{number}"
        entries = [said(turn_id, "hi", index=index) for index in range(count)]
        if number == summary_after:
            entries.append(summary_entry(turn_id, 1, summary))
        await have_turn(store, turn_id, parent=parent)
        await record(store, entries)
        await close_turn(store, turn_id)
        parent = turn_id


@pytest.mark.parametrize(
    ("counts", "summary_after", "is_enough"),
    [
        ([], None, False),
        ([3], None, False),
        ([4], None, True),
        ([1, 1, 1, 1], None, True),
        ([1, 1, 1], None, False),
        ([1, 0, 0, 0, 0, 0, 1, 1, 1], None, True),
        ([1, 0, 0, 0, 1, 0, 0, 1], None, False),
        ([9, 3], 0, False),
        ([9, 4], 0, True),
        ([9, 1, 3], 1, False),
    ],
)
async def test_a_conversation_is_summed_up_if_enough_was_said_since_the_last_summary(
    store: Store, counts: list[int], summary_after: int | None, is_enough: bool
) -> None:
    await have_session(store)
    await have_messages(store, counts, summary_after)

    if is_enough:
        assert await store.read(require_messages("s1")) is None
    else:
        with pytest.raises(NothingToCompact):
            await store.read(require_messages("s1"))


async def test_a_session_is_not_summed_up_while_a_turn_runs(store: Store) -> None:
    await have_messages(store, [4])
    await have_turn(store, "t9", parent="t0")

    with pytest.raises(SessionBusy) as refused:
        await store.read(require_messages("s1"))

    assert refused.value.active_turn_id == "t9"
