"""What the page asks of a store: marks, what was seen, pinned and archived sessions, and deletion."""

from typing import Any

from tests.store.nouns import (
    a_row,
    a_task,
    an_approval,
    an_input,
    close_turn,
    have_closed_turn,
    have_row,
    have_session,
    have_task,
    have_turn,
    some_events,
)
from wakeful.model.approvals.approval import Approval, Choice
from wakeful.model.journal.entry import Entry, EntryKind
from wakeful.model.session import Marks, Session, TitleOrigin
from wakeful.model.tasks.task import TaskKind, TaskOutcome, TaskStatus
from wakeful.store.base import Signal, Store, Transaction

NOW = 1_000.0


async def marks(store: Store, owner: str = "alice", *session_ids: str) -> dict[str, Marks]:
    return await store.read(lambda tx: tx.readers.marks(owner, session_ids or ("s1",), NOW))


async def session(store: Store, session_id: str = "s1") -> Session | None:
    return await store.read(lambda tx: tx.sessions.get(session_id))


async def write(store: Store, method: str, *arguments: Any, **more: Any) -> Any:
    """Call a method of `tx.sessions`, with the session locked."""

    async def body(tx: Transaction) -> Any:
        return await getattr(tx.sessions, method)("s1", *arguments, **more)

    return await store.write(body, lock=["s1"])


async def see(store: Store, seq: int) -> None:
    await store.write(lambda tx: tx.readers.see("alice", "s1", seq))


async def ask(store: Store, approval: Approval) -> None:
    await store.write(lambda tx: tx.approvals.ask_if_new(approval), lock=[approval.session_id])


async def settle(store: Store, turn_id: str, session_id: str = "s1") -> None:
    await close_turn(store, turn_id, checkpoint=turn_id, facts=some_events(1, "done"))


async def test_a_new_session_has_no_marks(store: Store) -> None:
    await have_session(store)

    assert await marks(store) == {"s1": Marks()}
    assert await marks(store, "alice", "s1", "unknown") == {"s1": Marks()}


async def test_a_session_is_unread_from_the_end_of_a_turn_until_it_was_seen(store: Store) -> None:
    await have_turn(store, "t1", is_wakeup=True)
    await settle(store, "t1")

    assert await marks(store) == {"s1": Marks(is_unread=True, last_status="done", is_woken=True)}
    for seen, is_unread in ((0, True), (1, False), (0, False)):
        await see(store, seen)
        assert (await marks(store))["s1"].is_unread is is_unread
    assert (await marks(store, "bob"))["s1"].is_unread


async def test_changes_that_only_lists_show_are_signalled(store: Store, signals: list[Signal]) -> None:
    await have_session(store)
    signals.clear()

    await see(store, 1)
    await write(store, "arrange", pinned=True)
    await write(store, "delete", 5.0)

    assert [signal.sessions for signal in signals] == [frozenset({"s1"})] * 3


async def test_running_tasks_and_open_questions_are_counted_with_those_of_sub_agents(store: Store) -> None:
    await have_turn(store, "t1")
    await have_task(store, a_task("k1", kind=TaskKind.DELEGATION, child_session_id="child"))
    await have_task(store, a_task("k2", part=1))
    await have_session(store, "child", task_id="k1")
    for turn_id, session_id, expires_at in (("t1", "s1", NOW + 1), ("t2", "child", NOW + 1), ("t3", "s1", NOW)):
        await ask(store, an_approval(turn_id, session_id, expires_at=expires_at))

    found = (await marks(store, "alice", "s1", "child"))["s1"]
    assert (found.running_tasks, found.open_approvals) == (2, 2)

    answered = an_approval("t1", expires_at=NOW + 1)
    await store.write(lambda tx: tx.approvals.answer_if_open(answered, Choice.DENY, NOW), lock=["s1"])
    outcome = TaskOutcome(TaskStatus.EXITED, 0, "")
    await store.write(lambda tx: tx.tasks.finish_if_running("k2", outcome), lock=["s1"])

    found = (await marks(store))["s1"]
    assert (found.running_tasks, found.open_approvals) == (1, 1)


async def test_pinning_and_archiving_change_independently(store: Store) -> None:
    await have_session(store)

    await write(store, "arrange", pinned=True)
    await write(store, "arrange", archived=True)

    found = await session(store)
    assert found is not None
    assert (found.is_pinned, found.is_archived) == (True, True)


async def test_pages_of_pinned_archived_and_deleted_sessions(store: Store) -> None:
    for number, session_id in enumerate(("plain", "pinned", "archived", "deleted")):
        await have_session(store, session_id, updated_at=float(number))

    async def body(tx: Transaction) -> None:
        await tx.sessions.arrange("pinned", pinned=True)
        await tx.sessions.arrange("archived", archived=True)
        await tx.sessions.delete("deleted", NOW)

    await store.write(body, lock=["pinned", "archived", "deleted"])

    async def page(**how: Any) -> list[str]:
        found = await store.read(lambda tx: tx.sessions.page("alice", limit=9, **how))
        return [session.id for session in found]

    assert await page() == ["pinned", "plain"]
    assert await page(pinned=True) == ["pinned"]
    assert await page(pinned=False) == ["plain"]
    assert await page(archived=True) == ["archived"]


async def test_a_title_of_the_user_is_distinguished_from_others(store: Store) -> None:
    await have_session(store, title_origin=TitleOrigin.WORDS)

    await write(store, "name", "by a model", TitleOrigin.MODEL)
    await write(store, "count_title_try")
    named = await session(store)
    await write(store, "change", title="mine")
    changed = await session(store)

    assert named is not None
    assert (named.title, named.title_origin, named.title_tries) == ("by a model", TitleOrigin.MODEL, 1)
    assert changed is not None
    assert (changed.title, changed.title_origin) == ("mine", TitleOrigin.USER)


async def test_the_head_can_be_moved_back(store: Store) -> None:
    await have_turn(store, "t1")
    await settle(store, "t1")

    await write(store, "rewind", head=None, checkpoint=None, message_count=0)

    found = await session(store)
    assert found is not None
    assert (found.head, found.checkpoint, found.message_count) == (None, None, 0)


async def test_turns_are_counted_along_the_conversation(store: Store) -> None:
    await have_closed_turn(store, "t1")
    await have_closed_turn(store, "t2", parent="t1")
    await have_closed_turn(store, "t3", parent="t1", opened_at=5.0)

    async def body(tx: Transaction) -> list[tuple[str, int]]:
        return [(turn.id, turn.number) for turn in await tx.turns.recent("s1", 2)]

    assert dict(await store.read(body)).items() <= {"t1": 1, "t2": 2, "t3": 2}.items()
    assert len(await store.read(body)) == 2


async def test_a_chain_is_counted_and_its_inputs_are_found_without_the_rest(store: Store) -> None:
    await have_closed_turn(store, "t1")
    await have_closed_turn(store, "t2", parent="t1")
    answer = Entry("t1", 1, 0, EntryKind.ANSWER, b"{}")
    entries = [an_input("t1", "a"), answer, an_input("t2", "b")]
    await store.write(lambda tx: tx.journal.add(entries), lock=["s1"])

    async def body(tx: Transaction) -> tuple[int, int, list[str]]:
        inputs = await tx.journal.inputs_of(["t1", "t2"])
        return await tx.journal.count_chain("t2"), await tx.journal.count_chain("t1"), [e.data["text"] for e in inputs]

    assert await store.read(body) == (3, 2, ["a", "b"])


async def test_what_a_session_has_paid_for_is_read_in_pages_without_its_branches(store: Store) -> None:
    await have_closed_turn(store, "t1")
    await have_closed_turn(store, "t2", parent="t1")
    await have_closed_turn(store, "t3", session_id="s2")
    kinds = {1: EntryKind.ANSWER, 2: EntryKind.RESULT, 3: EntryKind.SUMMARY}
    entries = [Entry(turn, step, 0, kind, b"{}") for turn in ("t1", "t2", "t3") for step, kind in kinds.items()]
    await store.write(lambda tx: tx.journal.add(entries), lock=["s1", "s2"])

    async def page(after: tuple[str, int]) -> list[tuple[str, int]]:
        found = await store.read(lambda tx: tx.journal.paid("s1", after, 3))
        return [(entry.turn_id, entry.step) for entry in found]

    assert await page(("", 0)) == [("t1", 1), ("t1", 3), ("t2", 1)]
    assert await page(("t2", 1)) == [("t2", 3)]


async def test_deleted_sessions_have_their_time_and_can_come_back_before_it(store: Store) -> None:
    await have_session(store)
    await write(store, "delete", 50.0)
    await write(store, "delete", 70.0)

    async def due(now: float) -> list[str]:
        return await store.read(lambda tx: tx.sessions.to_purge(now))

    assert (await due(49.0), await due(50.0)) == ([], ["s1"])
    assert await store.read(lambda tx: tx.sessions.next_purge()) == 50.0
    assert not await write(store, "restore_if_whole", 50.0)
    assert await write(store, "restore_if_whole", 49.0)
    assert await store.read(lambda tx: tx.sessions.next_purge()) is None
    assert await due(1e9) == []


async def test_nothing_is_due_in_a_deleted_session(store: Store) -> None:
    await have_row(store, a_row())
    assert await store.read(lambda tx: tx.sessions.ready(NOW)) == ["s1"]

    await write(store, "delete", NOW)

    assert await store.read(lambda tx: tx.sessions.ready(NOW)) == []
    assert await store.read(lambda tx: tx.tasks.page("alice", limit=9)) == []


async def test_the_sessions_of_sub_agents_are_its_children(store: Store) -> None:
    await have_turn(store, "t1")
    await have_task(store, a_task("k1", kind=TaskKind.DELEGATION))
    await have_session(store, "child", task_id="k1")
    await have_session(store, "other")

    assert await store.read(lambda tx: tx.sessions.children("s1")) == ["child"]
