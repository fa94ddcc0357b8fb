"""From which turn a branch goes on, and what it takes along."""

import pytest

from tests.store.nouns import have_session, have_turn
from tests.unit.engine.inbox.kit import FAILED, have_chain
from wakeful.engine.inbox.branching import branch_off
from wakeful.errors import TurnNotFound
from wakeful.model.approvals.mode import Mode
from wakeful.model.session import Session
from wakeful.store.base import Store, Transaction


async def branch(store: Store, turn_id: str | None = None, *, may_choose_everything: bool = True) -> Session:
    async def body(tx: Transaction) -> Session:
        made = await branch_off(tx, "s1", turn_id, may_choose_everything=may_choose_everything)
        stored = await tx.sessions.get(made.id)
        assert stored is not None
        return stored

    return await store.write(body, lock=["s1"])


async def test_a_branch_goes_on_from_the_last_turn_or_from_the_one_that_is_named(store: Store) -> None:
    await have_session(store, title="Trip", todo=b"[]", workspace="/w", mode="plan")
    await have_chain(store, "t1", "t2", "t3", t2=FAILED)

    last, second = await branch(store), await branch(store, "t2")

    assert (last.head, last.checkpoint, last.message_count) == ("t3", "t3", 3)
    assert (second.head, second.checkpoint, second.message_count) == ("t2", "t1", 2)
    assert (last.title, second.title) == ("Trip (branch 2)", "Trip (branch 3)")
    assert (last.owner, last.workspace, last.mode, last.todo) == ("alice", "/w", "plan", b"[]")


@pytest.mark.parametrize(
    ("mode", "may_choose", "expected"),
    [
        (Mode.EVERYTHING, True, Mode.EVERYTHING),
        (Mode.EVERYTHING, False, ""),
        (Mode.ACCEPT_EDITS, False, Mode.ACCEPT_EDITS),
    ],
)
async def test_a_branch_has_no_mode_that_its_maker_may_not_choose(
    store: Store, mode: str, may_choose: bool, expected: str
) -> None:
    await have_session(store, mode=mode)
    await have_chain(store, "t1")

    assert (await branch(store, may_choose_everything=may_choose)).mode == expected


@pytest.mark.parametrize("turn_id", ["t2", "t9", "other"])
async def test_a_branch_needs_a_turn_of_the_session_that_has_ended(store: Store, turn_id: str) -> None:
    await have_chain(store, "t1")
    await have_turn(store, "t2", parent="t1")
    await have_chain(store, "other", session_id="s2")

    with pytest.raises(TurnNotFound, match=f"no closed turn {turn_id}"):
        await branch(store, turn_id)


async def test_there_is_nothing_to_branch_from_before_a_turn_has_ended(store: Store) -> None:
    await have_session(store)

    with pytest.raises(TurnNotFound, match="nothing to branch from yet"):
        await branch(store)
