"""What agents write is taken back: newest first, whole, once, and the agent learns of it with the next message."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.bare_engine import HOST
from tests.engine.kit import House, Node, finish, log_of, open_session, send, session_of, until
from wakeful.engine.inbox.submission import Receipt
from wakeful.engine.undo import ChangeRecords
from wakeful.errors import NothingToUndo, TurnNotFound
from wakeful.model.journal.entry import Entry, EntryKind
from wakeful.model.journal.fact import Answered, CallFinished
from wakeful.model.journal.message import AssistantMessage, ToolCall, Usage
from wakeful.model.tasks.goal import Goal
from wakeful.model.tasks.task import Host
from wakeful.store.base import Transaction
from wakeful.tools.base import ToolContext, ToolResult
from wakeful.tools.files.change_tools import EditFile, WriteFile
from wakeful.tools.files.copies import FileCopies
from wakeful.tools.files.file_changer import FileChanger
from wakeful.tools.files.workspace import Folders

_DAY = 24 * 3600.0


@dataclass
class Desk:
    """A node, and a folder that its agent writes to."""

    house: House
    node: Node
    home: Path
    folder: Path
    copies: FileCopies

    async def session(self) -> str:
        return await open_session(self.node, workspace=str(self.folder))

    async def turn(self, session_id: str, text: str, *calls: Mapping[str, Any]) -> Receipt:
        """Run a turn with these calls of the file tools, one after the other."""
        receipt = await send(self.node, session_id, text)
        await self.house.settle()
        if not calls:
            await finish(self.node, self.house, receipt)
            return receipt
        agent = self.node.agent
        turn = agent.briefs[receipt.turn_id].turn
        made = tuple(ToolCall(f"{text}_{index}", "a tool", "{}") for index in range(1, len(calls) + 1))
        agent.tell(receipt.turn_id, Answered(1, AssistantMessage("", calls=made), Usage(1, 1)))
        for index, (call, arguments) in enumerate(zip(made, calls, strict=True), start=1):
            result = await self.call(arguments, ToolContext(turn, 1, index, call.id))
            agent.tell(receipt.turn_id, CallFinished(1, index, call, result.text, 0.0, changes=result.changes))
        agent.tell(receipt.turn_id, Answered(2, AssistantMessage("done"), Usage(1, 1)))
        agent.order(receipt.turn_id, "end")
        await self.house.settle()
        return receipt

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        changer = FileChanger(ChangeRecords(self.house.store, HOST), self.copies)
        kind = EditFile if "old_text" in arguments else WriteFile
        result: ToolResult = await kind(changer, Folders(self.home)).run(arguments, context)
        assert not result.is_error, result.text
        return result

    def files(self) -> dict[str, str]:
        return {path.name: path.read_text() for path in sorted(self.folder.iterdir())}

    def kept(self) -> int:
        return sum(path.is_file() for path in self.home.rglob("*"))


@pytest.fixture
async def desk(house: House, tmp_path: Path) -> Desk:
    home, folder = tmp_path / "home", tmp_path / "folder"
    folder.mkdir()
    copies = FileCopies(home)
    return Desk(house, await house.start_node(changed_files=copies), home, folder, copies)


def wrote(path: str, content: str) -> dict[str, str]:
    return {"path": path, "content": content}


def edited(path: str, old: str, new: str) -> dict[str, str]:
    return {"path": path, "old_text": old, "new_text": new}


async def test_the_last_turn_with_changes_is_taken_back_newest_first(desk: Desk) -> None:
    (desk.folder / "a").write_text("one\n")
    session = await desk.session()
    await desk.turn(session, "first", edited("a", "one", "two"))
    await desk.turn(session, "second", edited("a", "two", "three"), wrote("b", "new\n"), edited("a", "three", "four"))
    await desk.turn(session, "third")
    undo = desk.node.engine.undo_desk.undo

    done = await undo(session)

    assert desk.files() == {"a": "two\n"}
    assert (done.undone, done.skipped) == ({"a": "restored", "b": "deleted"}, {})
    assert (await undo(session)).undone == {"a": "restored"}
    assert desk.files() == {"a": "one\n"}
    with pytest.raises(NothingToUndo):
        await undo(session)


async def test_the_agent_learns_of_it_with_the_next_message_and_nobody_is_woken(desk: Desk) -> None:
    (desk.folder / "a").write_text("one\n")
    session = await desk.session()
    first = await desk.turn(session, "first", edited("a", "one", "two"), wrote("b", ""), edited("a", "two", "three"))
    await desk.node.engine.undo_desk.undo(session)
    await desk.house.wait_for_company()
    assert (await session_of(desk.house, session)).active is None

    second = await send(desk.node, session, "go on")
    await desk.house.settle()

    assert [message.text for message in desk.node.agent.briefs[second.turn_id].messages][-2:] == [
        "[Undone: a, b]",
        "go on",
    ]
    await finish(desk.node, desk.house, second)
    third = await send(desk.node, session, "and on")
    await desk.house.settle()
    assert "[Undone: a, b]" not in [message.text for message in desk.node.agent.briefs[third.turn_id].messages][-2:]
    changes = [change for entry in await _results(desk, first.turn_id) for change in entry.data["changes"]]
    assert [change["undone"] for change in changes] == [True, True, True]
    updates = [event.data for event in await log_of(desk.house, session) if event.kind == "session-updated"]
    assert [(data["changed"], data["path"]) for data in updates if "path" in data] == [
        (["changes"], path) for path in ("a", "b", "a")
    ]


async def test_a_file_that_has_changed_since_is_skipped_and_tried_again_only_by_force(desk: Desk) -> None:
    (desk.folder / "a").write_text("one\n")
    session = await desk.session()
    await desk.turn(session, "first", edited("a", "one", "two"), wrote("b", "new\n"), wrote("c", "new\n"))
    (desk.folder / "a").write_text("mine\n")
    (desk.folder / "b").write_text("mine\n")
    undo = desk.node.engine.undo_desk.undo

    done = await undo(session)

    assert (done.undone, done.skipped) == ({"c": "deleted"}, {"a": "changed_since", "b": "changed_since"})
    assert desk.files() == {"a": "mine\n", "b": "mine\n"}
    with pytest.raises(NothingToUndo):
        await undo(session)
    forced = await undo(session, force=True)
    assert forced.undone == {"a": "restored", "b": "deleted"}
    assert desk.files() == {"a": "one\n"}


async def test_a_file_that_cannot_be_written_now_is_tried_again(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    (desk.folder / "a").write_text("one\n")
    session = await desk.session()
    await desk.turn(session, "first", wrote("a", "two\n"), wrote("a", "three\n"))
    undo = desk.node.engine.undo_desk.undo

    with monkeypatch.context() as full_disk:
        full_disk.setattr(os, "fsync", _no_space)
        hindered = await undo(session)
    assert (hindered.undone, hindered.skipped, desk.files()) == ({}, {"a": "unwritable"}, {"a": "three\n"})

    assert (await undo(session)).undone == {"a": "restored"}
    assert desk.files() == {"a": "one\n"}


def _no_space(_: int) -> None:
    raise OSError(28, "No space left on device")


async def test_one_call_or_one_turn_is_taken_back_and_that_of_another_session_is_not(desk: Desk) -> None:
    session, other = await desk.session(), await desk.session()
    first = await desk.turn(session, "first", wrote("a", "1"), wrote("b", "1"))
    await desk.turn(session, "second", wrote("c", "1"))
    undo = desk.node.engine.undo_desk.undo

    await undo(session, call_id="first_2")
    assert sorted(desk.files()) == ["a", "c"]
    with pytest.raises(TurnNotFound):
        await undo(other, first.turn_id)
    with pytest.raises(NothingToUndo):
        await undo(other)
    await undo(session, first.turn_id)
    assert sorted(desk.files()) == ["c"]


async def test_a_branch_takes_back_what_the_conversation_before_it_has_changed(desk: Desk) -> None:
    session = await desk.session()
    await desk.turn(session, "first", wrote("a", "1"))
    branch = await desk.node.engine.branch(session)
    undo = desk.node.engine.undo_desk.undo

    assert (await undo(branch.id)).undone == {"a": "deleted"}
    with pytest.raises(NothingToUndo):
        await undo(session)


async def test_what_a_sub_agent_wrote_is_taken_back_with_the_turn_that_it_works_for(desk: Desk) -> None:
    session, briefs = await desk.session(), desk.node.agent.briefs
    receipt = await send(desk.node, session, "delegate")
    await desk.house.settle()
    turn = briefs[receipt.turn_id].turn
    (task,) = await desk.node.engine.delegations.begin(turn, 1, 1, [Goal("write")], is_inline=False)
    await desk.house.settle()
    child = await session_of(desk.house, task.child_session_id or "")
    assert child.active is not None
    await desk.call(wrote("a", "1"), ToolContext(briefs[child.active].turn, 1, 1, "c1"))
    await desk.call(wrote("b", "1"), ToolContext(briefs[receipt.turn_id].turn, 1, 2, "c2"))

    done = await desk.node.engine.undo_desk.undo(session)

    assert done.undone == {"b": "deleted", "a": "deleted"}
    with pytest.raises(NothingToUndo):
        await desk.node.engine.undo_desk.undo(child.id)


async def test_what_another_machine_has_written_is_left_to_it(desk: Desk) -> None:
    (desk.folder / "a").write_text("one\n")
    session = await desk.session()
    await desk.turn(session, "first", edited("a", "one", "two"))
    elsewhere = await desk.house.start_node(host=Host("elsewhere", "boot"), changed_files=desk.copies)

    with pytest.raises(NothingToUndo):
        await elsewhere.engine.undo_desk.undo(session)

    assert desk.files() == {"a": "two\n"}
    assert (await desk.node.engine.undo_desk.undo(session)).undone == {"a": "restored"}


async def test_a_change_that_was_given_up_is_not_there_and_a_turn_that_is_not_stored_has_none(desk: Desk) -> None:
    session = await desk.session()
    receipt = await desk.turn(session, "first", wrote("a", "one\n"), wrote("b", "two\n"))
    records = ChangeRecords(desk.house.store, HOST)
    turn = desk.node.agent.briefs[receipt.turn_id].turn
    change = await records.find(turn, 1, 1)
    assert change is not None
    assert await records.find(replace(turn, is_ephemeral=True), 1, 1) is None

    await records.give_up(change)

    assert await records.find(turn, 1, 1) is None
    assert (await desk.node.engine.undo_desk.undo(session)).undone == {"b": "deleted"}


async def test_large_files_are_not_kept_and_that_is_said(desk: Desk) -> None:
    large = "x" * (20 * 1024 * 1024 + 1)
    (desk.folder / "a").write_text(large)
    session = await desk.session()
    await desk.turn(session, "first", wrote("a", "small"))

    done = await desk.node.engine.undo_desk.undo(session)

    assert (done.undone, done.skipped) == ({}, {"a": "not_kept"})
    assert desk.files() == {"a": "small"}
    assert desk.kept() == 0


async def test_a_link_in_the_place_of_the_file_is_not_followed(desk: Desk, tmp_path: Path) -> None:
    (desk.folder / "a").write_text("one\n")
    session = await desk.session()
    await desk.turn(session, "first", edited("a", "one", "two"))
    outside = tmp_path / "outside"
    outside.write_text("two\n")
    (desk.folder / "a").unlink()
    (desk.folder / "a").symlink_to(outside)

    done = await desk.node.engine.undo_desk.undo(session, force=True)

    assert done.skipped == {"a": "changed_since"}
    assert outside.read_text() == "two\n"


async def test_copies_are_dropped_a_month_after_the_end_of_their_turn(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.time", desk.house.clock.time)
    # Fewer than there are, so that it takes more than one batch.
    monkeypatch.setattr("wakeful.engine.upkeep.janitor._BATCH", 1)
    for name in ("a", "b"):
        (desk.folder / name).write_text("one\n")
    session = await desk.session()
    turn_id = (await desk.turn(session, "first", edited("a", "one", "two"), edited("b", "one", "two"))).turn_id

    async def is_dropped() -> bool:
        return not await desk.house.store.read(lambda tx: tx.changes.of_turn(turn_id))

    await desk.house.advance(30 * _DAY - 60)
    await desk.house.settle()
    assert desk.kept() == 2
    await desk.house.advance(1200)
    await until(is_dropped)

    assert desk.kept() == 0
    with pytest.raises(NothingToUndo):
        await desk.node.engine.undo_desk.undo(session)


async def test_copies_go_with_their_session(desk: Desk) -> None:
    (desk.folder / "a").write_text("one\n")
    session = await desk.session()
    await desk.turn(session, "first", edited("a", "one", "two"))
    assert desk.kept() == 1

    await desk.node.engine.purger.delete(session)
    await desk.house.advance(desk.house.settings.undo_seconds + 1)
    await desk.node.engine.purger.sweep()

    assert desk.kept() == 0
    assert desk.files() == {"a": "two\n"}


async def _results(desk: Desk, turn_id: str) -> list[Entry]:
    async def body(tx: Transaction) -> list[Entry]:
        return await tx.journal.of_turns([turn_id])

    return [entry for entry in await desk.house.store.read(body) if entry.kind is EntryKind.RESULT]
