"""Places in a turn: what is asked, changed or written at one step and index says nothing of another."""

from functools import partial

import pytest

from tests.store.nouns import a_change, a_task, an_approval, have_closed_turn, have_session
from wakeful.model.approvals.approval import Choice
from wakeful.model.journal.change import ChangeState
from wakeful.model.journal.entry import Entry, result_entry
from wakeful.model.search.search import Hit
from wakeful.store.base import Store, Transaction

Place = tuple[int, int]
PLACES = [(step, index) for step in (1, 2, 3) for index in (1, 2, 3)]
# It has neighbours on all sides.
HERE = (2, 2)
ELSEWHERE = [place for place in PLACES if place != HERE]


def an_entry(step: int, index: int, text: str = "") -> Entry:
    return result_entry("t1", step, index, call_id=f"c{step}{index}", text=text or f"{step}{index}", seconds=0.1)


@pytest.fixture
async def full(store: Store) -> Store:
    """A store in which two turns have something at every place."""
    await have_session(store)
    await have_closed_turn(store, "t1")

    async def fill(place: Place, tx: Transaction) -> None:
        step, index = place
        for turn in ("t0", "t1", "t2"):
            name = f"{turn}.{step}.{index}"
            await tx.approvals.ask_if_new(an_approval(turn, step=step, index=index, call_id=name))
            await tx.changes.begin(a_change(turn, step=step, index=index, path=name))
            await tx.tasks.add_if_absent(a_task(name, turn_id=turn, step=step, index=index))
        await tx.journal.add([an_entry(step, index)])

    for place in PLACES:
        await store.write(partial(fill, place), lock=["s1"])
    return store


@pytest.mark.parametrize(("step", "index"), [PLACES[0], HERE, PLACES[-1]])
async def test_what_is_read_at_a_place_is_what_stands_there(full: Store, step: int, index: int) -> None:
    async def read(tx: Transaction) -> list[object]:
        approval = await tx.approvals.get("t1", step, index)
        change = await tx.changes.get("t1", step, index)
        assert approval is not None
        assert change is not None
        return [
            approval.call_id,
            change.path,
            *(task.id for task in await tx.tasks.of_call("t1", step, index)),
            *(entry.id for entry in await tx.journal.at([Hit("t1", step, index)])),
        ]

    assert await full.read(read) == [*[f"t1.{step}.{index}"] * 3, an_entry(step, index).id]
    of_step = await full.read(lambda tx: tx.journal.of_step("t1", step))
    assert [(entry.step, entry.index) for entry in of_step] == [(step, number) for number in (1, 2, 3)]


async def open_questions(store: Store, turn: str = "t1") -> list[Place]:
    found = await store.read(lambda tx: tx.approvals.open_of("s1", 60.0))
    return [(approval.step, approval.index) for approval in found if approval.turn_id == turn]


@pytest.mark.parametrize("how", ["answered", "given up"])
async def test_a_question_is_settled_alone(full: Store, how: str) -> None:
    question = an_approval("t1", step=HERE[0], index=HERE[1])

    async def settle(tx: Transaction) -> bool:
        if how == "answered":
            return await tx.approvals.answer_if_open(question, Choice.ONCE, 60.0)
        return await tx.approvals.give_up(question)

    assert await full.write(settle, lock=["s1"])

    assert await open_questions(full) == ELSEWHERE
    assert await open_questions(full, "t0") == await open_questions(full, "t2") == PLACES


async def changes_of(store: Store, turn: str = "t1", *, state: ChangeState = ChangeState.MADE) -> list[Place]:
    found = await store.read(lambda tx: tx.changes.of_turn(turn))
    return sorted((change.step, change.index) for change in found if change.state is state)


@pytest.mark.parametrize("how", ["undone", "forgotten"])
async def test_a_change_is_undone_or_forgotten_alone(full: Store, how: str) -> None:
    change = a_change("t1", step=HERE[0], index=HERE[1])

    async def end(tx: Transaction) -> None:
        if how == "undone":
            assert await tx.changes.settle(change, ChangeState.UNDONE)
        else:
            await tx.changes.remove([change])

    await full.write(end, lock=["s1"])

    assert await changes_of(full) == ELSEWHERE
    assert await changes_of(full, "t0") == await changes_of(full, "t2") == PLACES
    assert await changes_of(full, state=ChangeState.UNDONE) == ([HERE] if how == "undone" else [])


async def test_an_entry_is_replaced_alone(full: Store) -> None:
    await full.write(lambda tx: tx.journal.replace(an_entry(*HERE, text="other")))

    entries = await full.read(lambda tx: tx.journal.of_turns(["t1"]))
    replaced = [(entry.step, entry.index) for entry in entries if b"other" in entry.payload]
    assert replaced == [HERE]
