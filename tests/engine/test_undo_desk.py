"""Which changes are taken back, by whom, and what is told of it; the files are stand-ins."""

from collections.abc import Awaitable, Callable

import pytest

from tests.bare_engine import HOST
from tests.engine.asking import sub_agent_of, working
from tests.engine.kit import House, Node, finish, log_of, open_session, send, session_of
from tests.store.nouns import a_change
from wakeful.engine.inbox.submission import Receipt
from wakeful.engine.undo import ChangeRecords, UndoDesk
from wakeful.errors import LeaseLost, NothingToUndo, TurnNotFound
from wakeful.model.event import Event
from wakeful.model.inbox import InboxRow, RowKind
from wakeful.model.journal.change import ChangeState, KeptChange, TakenBack
from wakeful.model.turn import Door

pytestmark = pytest.mark.parametrize("house", ["sqlite"], indirect=True)

DELETED = TakenBack("deleted")


class NotingFiles:
    """Files that note which changes are taken back, and say what became of each."""

    def __init__(self, *outcomes: TakenBack) -> None:
        self.taken: list[str] = []
        self.before_end: Callable[[KeptChange], Awaitable[object]] | None = None
        self._outcomes = list(outcomes)

    async def take_back(self, change: KeptChange, *, force: bool) -> TakenBack:
        self.taken.append(change.call_id)
        if self.before_end is not None:
            await self.before_end(change)
        return self._outcomes.pop(0) if self._outcomes else DELETED

    async def forget(self, session_id: str) -> None: ...

    async def drop(self, change: KeptChange) -> None: ...


async def change_in(node: Node, house: House, receipt: Receipt, index: int, path: str = "", **how: object) -> None:
    """Record a change of the running turn, at the call c<index>."""
    turn = node.agent.briefs[receipt.turn_id].turn
    name = path or f"{index}.txt"
    place = {"step": 1, "index": index, "call_id": f"c{index}", "written_at": float(index)}
    change = a_change(turn.id, turn.session_id, **{**place, "path": f"/w/{name}", "shown": name, **how})
    await ChangeRecords(house.store, HOST).begin(turn, change)


async def announced(house: House, session_id: str) -> list[Event]:
    return [event for event in await log_of(house, session_id) if "undone_call_id" in event.data]


async def remarks_in(house: House, session_id: str) -> list[InboxRow]:
    pending = await house.store.read(lambda tx: tx.inbox.pending(session_id))
    return [row for row in pending if row.kind is RowKind.REMARK]


async def test_a_change_is_recorded_for_the_turn_at_the_top_and_this_machine(node: Node, house: House) -> None:
    parent = await working(node, house)
    child = await sub_agent_of(node, house, parent)
    grandchild = await sub_agent_of(node, house, child)
    for receipt in (parent, child, grandchild):
        await change_in(node, house, receipt, 1, host="elsewhere")

    changes = await house.store.read(lambda tx: tx.changes.of_turn(parent.turn_id))

    assert {change.session_id for change in changes} == {parent.session_id, child.session_id, grandchild.session_id}
    roots = {(change.root_session_id, change.root_turn_id, change.host) for change in changes}
    assert roots == {(parent.session_id, parent.turn_id, HOST.id)}


async def test_a_turn_that_was_lost_records_no_change(node: Node, house: House) -> None:
    receipt = await working(node, house)
    await node.engine.cancel(receipt.session_id)

    with pytest.raises(LeaseLost):
        await change_in(node, house, receipt, 1)


async def test_what_is_taken_back_is_told_to_the_agent_and_to_those_who_look(node: Node, house: House) -> None:
    parent = await working(node, house)
    child = await sub_agent_of(node, house, parent)
    await change_in(node, house, child, 1)
    desk = UndoDesk(house.store, HOST, NotingFiles())

    assert (await desk.undo(parent.session_id)).undone == {"1.txt": "deleted"}

    for session_id in (parent.session_id, child.session_id):
        (event,) = await announced(house, session_id)
        assert event.data == {
            "session_id": session_id,
            "changed": ["changes"],
            "undone_call_id": "c1",
            "path": "1.txt",
            "turn_id": child.turn_id,
        }
    (remark,) = await remarks_in(house, parent.session_id)
    session = await session_of(house, parent.session_id)
    assert (remark.source, remark.payload, remark.created_at) == ("undo", b'{"text":"1.txt"}', house.clock.now)
    assert (remark.door, remark.address) == (Door(session.address.platform, async_delivery=True), session.address)
    assert await remarks_in(house, child.session_id) == []


async def test_what_another_has_taken_back_meanwhile_is_told_once(node: Node, house: House) -> None:
    receipt = await working(node, house)
    await change_in(node, house, receipt, 1)
    files = NotingFiles()

    async def settle_first(change: KeptChange) -> None:
        files.before_end = None
        await UndoDesk(house.store, HOST, NotingFiles()).undo(receipt.session_id)

    files.before_end = settle_first
    await UndoDesk(house.store, HOST, files).undo(receipt.session_id)

    assert len(await announced(house, receipt.session_id)) == 1


async def test_what_is_skipped_is_told_to_the_caller_alone_and_tried_again_by_force(node: Node, house: House) -> None:
    receipt = await working(node, house)
    await change_in(node, house, receipt, 1)
    desk = UndoDesk(house.store, HOST, NotingFiles(TakenBack(reason="changed_since")))

    assert (await desk.undo(receipt.session_id)).skipped == {"1.txt": "changed_since"}

    (change,) = await house.store.read(lambda tx: tx.changes.of_turn(receipt.turn_id))
    assert change.state is ChangeState.SKIPPED
    assert (await announced(house, receipt.session_id), await remarks_in(house, receipt.session_id)) == ([], [])
    with pytest.raises(NothingToUndo):
        await desk.undo(receipt.session_id)
    assert (await desk.undo(receipt.session_id, force=True)).undone == {"1.txt": "deleted"}
    with pytest.raises(NothingToUndo):
        await desk.undo(receipt.session_id, force=True)


async def test_older_changes_of_a_file_that_is_stuck_are_left_and_those_of_others_are_not(
    node: Node, house: House
) -> None:
    receipt = await working(node, house)
    for index, path in ((1, "a"), (2, "b"), (3, "a")):
        await change_in(node, house, receipt, index, path)
    files = NotingFiles(TakenBack(reason="unwritable", may_be_tried_again=True))
    desk = UndoDesk(house.store, HOST, files)

    done = await desk.undo(receipt.session_id)

    assert (done.undone, done.skipped, files.taken) == ({"b": "deleted"}, {"a": "unwritable"}, ["c3", "c2"])
    assert (await desk.undo(receipt.session_id)).undone == {"a": "deleted"}
    assert files.taken[2:] == ["c3", "c1"]


async def test_the_first_reason_why_a_file_was_skipped_is_told(node: Node, house: House) -> None:
    receipt = await working(node, house)
    for index in (1, 2):
        await change_in(node, house, receipt, index, "a")
    files = NotingFiles(TakenBack(reason="changed_since"), TakenBack(reason="not_kept"))

    done = await UndoDesk(house.store, HOST, files).undo(receipt.session_id)

    assert done.skipped == {"a": "changed_since"}


async def test_one_call_is_taken_back_wherever_it_is(node: Node, house: House) -> None:
    receipt = await working(node, house)
    for index in (1, 2):
        await change_in(node, house, receipt, index)
    files = NotingFiles()
    desk = UndoDesk(house.store, HOST, files)

    await desk.undo(receipt.session_id, receipt.turn_id, "c1")
    with pytest.raises(NothingToUndo):
        await desk.undo(receipt.session_id, receipt.turn_id, "c1")
    with pytest.raises(NothingToUndo):
        await desk.undo(receipt.session_id, call_id="unknown")

    assert files.taken == ["c1"]


@pytest.mark.parametrize("turn_id", ["unknown", ""])
async def test_where_nothing_was_done_there_is_nothing_to_take_back(node: Node, house: House, turn_id: str) -> None:
    desk = UndoDesk(house.store, HOST, NotingFiles())

    with pytest.raises(TurnNotFound if turn_id else NothingToUndo):
        await desk.undo(await open_session(node), turn_id)


async def test_a_branch_takes_back_the_newest_changes_before_it_and_no_others(node: Node, house: House) -> None:
    session = await open_session(node)
    for number, text in enumerate(("one", "two", "three"), 1):
        receipt = await send(node, session, text)
        await house.settle()
        if number < 3:
            await change_in(node, house, receipt, number)
        await finish(node, house, receipt)
    branch = await node.engine.branch(session)
    files = NotingFiles()
    desk = UndoDesk(house.store, HOST, files)

    await desk.undo(branch.id)
    assert files.taken == ["c2"]
    await desk.undo(branch.id)
    assert files.taken == ["c2", "c1"]
