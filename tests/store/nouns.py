"""Sessions, turns, rows, tasks and approvals for tests: complete, with only what a test names being of interest."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from wakeful.engine import turn_events
from wakeful.engine.inbox.decision import input_event
from wakeful.model.approvals.approval import Approval, Reason
from wakeful.model.approvals.grant import Grant
from wakeful.model.event import Event, NewEvent
from wakeful.model.inbox import InboxRow, RowKind
from wakeful.model.journal.change import KeptChange
from wakeful.model.journal.entry import Entry, answer_entry, input_entry, result_entry
from wakeful.model.journal.fact import Answered, CallFinished
from wakeful.model.journal.message import AssistantMessage, ToolCall, Usage
from wakeful.model.lane import Lane
from wakeful.model.opening import Closed, Closing, Opening
from wakeful.model.session import Address, Session
from wakeful.model.tasks.task import Host, Task, TaskKind
from wakeful.model.turn import Door, Lease, Outcome, Turn, TurnStatus
from wakeful.store.base import Body, Store, Transaction

DOOR = Door("telegram", async_delivery=True)
ADDRESS = Address("telegram", "chat", "thread")
DONE = Outcome(TurnStatus.DONE)


def a_session(session_id: str = "s1", **changes: Any) -> Session:
    values: dict[str, Any] = {
        "owner": "alice",
        "address": ADDRESS,
        "model": "demo:model",
        "created_at": 10.0,
        "updated_at": 10.0,
    }
    return Session(session_id, **(values | changes))


def a_turn(turn_id: str = "t1", session_id: str = "s1", **changes: Any) -> Turn:
    values: dict[str, Any] = {
        "parent": None,
        "door": DOOR,
        "address": ADDRESS,
        "source": "user",
        "is_wakeup": False,
        "model": "demo:model",
        "status": TurnStatus.RUNNING,
        "node": "node1",
        "epoch": 1,
        "opened_at": 20.0,
    }
    return Turn(turn_id, session_id, **(values | changes))


def a_row(dedupe_key: str = "m1", session_id: str = "s1", **changes: Any) -> InboxRow:
    values: dict[str, Any] = {
        "kind": RowKind.MESSAGE,
        "source": "user",
        "turn_id": f"turn_of_{session_id}_{dedupe_key}",
        "door": DOOR,
        "address": ADDRESS,
        "model": "demo:model",
        "payload": b'{"text": "hello"}',
        "created_at": 30.0,
    }
    return InboxRow(0, session_id, dedupe_key, **(values | changes))


def a_task(task_id: str = "k1", session_id: str = "s1", **changes: Any) -> Task:
    values: dict[str, Any] = {
        "kind": TaskKind.PROCESS,
        "owner": "alice",
        "turn_id": "t1",
        "step": 1,
        "index": 1,
        "host": Host("host1", "boot1"),
        "command": "make",
        "door": DOOR,
        "address": ADDRESS,
        "model": "demo:model",
        "will_notify": True,
        "started_at": 40.0,
    }
    return Task(task_id, session_id=session_id, **(values | changes))


def an_approval(turn_id: str = "t1", session_id: str = "s1", **changes: Any) -> Approval:
    values: dict[str, Any] = {
        "step": 1,
        "index": 1,
        "call_id": "call1",
        "tool": "terminal",
        "command": "rm -r /",
        "reasons": (Reason("delete_outside", "deletes a folder", "/", "rm -r /"),),
        "expires_at": 90.0,
        "created_at": 50.0,
    }
    return Approval(session_id, turn_id, **(values | changes))


def a_change(turn_id: str = "t1", session_id: str = "s1", **changes: Any) -> KeptChange:
    change = KeptChange(
        session_id,
        turn_id,
        step=1,
        index=1,
        call_id="c1",
        path="/w/a.txt",
        shown="a.txt",
        before="",
        after="mark",
        undoable=True,
        added=2,
        removed=1,
        written_at=10.0,
        host="host",
        root_session_id=session_id,
        root_turn_id=turn_id,
    )
    return replace(change, **changes)


def a_grant(grant_id: str = "g1", **changes: Any) -> Grant:
    """Return a grant of a session, unless the test names a folder."""
    scope = {} if "folder" in changes else {"session_id": "s1"}
    values: dict[str, Any] = {"owner": "alice", "kind": "delete_outside", "created_at": 50.0, "example": "rm -r /"}
    return Grant(grant_id, **(values | scope | changes))


def an_input(turn_id: str, text: str, index: int = 0) -> Entry:
    return input_entry(turn_id, 0, index, {"source": "user", "message_id": "", "text": text})


def an_opening(name: str, **changes: Any) -> Opening:
    """Return the opening of a new session, with everything in it."""
    session = a_session(f"session_{name}", created_at=0.0, updated_at=0.0)
    turn_id = f"turn_of_{session.id}_m1"
    turn = a_turn(turn_id, session.id, opened_at=0.0, last_seq=2)
    values: dict[str, Any] = {
        "turn": turn,
        "posted": (a_row("m1", session.id, created_at=0.0),),
        "entries": (an_input(turn_id, name),),
        "facts": tuple(some_events(2, "message")),
        "session_facts": tuple(some_events(1, "session-updated")),
        "session": session,
    }
    return Opening(**(values | changes))


def long_texts(turn_id: str) -> tuple[list[Entry], list[NewEvent]]:
    """Return the entries and the events of a message, a notice, two calls and a result, all but the first call long."""
    given = {"source": "user", "message_id": "m1", "text": "a" * 2000}
    notice = {"source": "process_wakeup", "message_id": "k1", "text": "b" * 2000, "notice": {"output": "b" * 1999}}
    inputs = [input_entry(turn_id, 0, 0, given), input_entry(turn_id, 0, 1, notice)]
    calls = (ToolCall("c1", "list_files", "{}"), ToolCall("c2", "write_file", "c" * 2000))
    answered = Answered(1, AssistantMessage("", "", calls), Usage(1, 1))
    finished = CallFinished(1, 2, calls[1], "d" * 2000, 0.5)
    result = result_entry(turn_id, 1, 2, call_id="c2", text=finished.text, seconds=0.5)
    events = [*map(input_event, inputs), *turn_events.answered(answered)[:2], turn_events.call_finished(finished)]
    return [*inputs, answer_entry(turn_id, answered), result], events


def some_events(count: int, kind: str = "token") -> list[NewEvent]:
    return [NewEvent(kind, b"%d" % number) for number in range(count)]


async def have_session(store: Store, session_id: str = "s1", **changes: Any) -> Session:
    session = a_session(session_id, **changes)
    await store.write(lambda tx: tx.sessions.create_if_absent(session))
    return session


async def have_turn(store: Store, turn_id: str = "t1", session_id: str = "s1", **changes: Any) -> Lease:
    """Open a turn, and its session if needed, and return its lease."""
    await have_session(store, session_id)
    turn = a_turn(turn_id, session_id, **changes)
    await store.write(lambda tx: tx.open(Opening(turn)), lock=[session_id])
    return Lease(turn_id, session_id, turn.node or "", turn.epoch)


async def have_closed_turn(store: Store, turn_id: str = "t1", session_id: str = "s1", **changes: Any) -> None:
    await have_turn(store, turn_id, session_id, **changes)
    await close_turn(store, turn_id)


async def close_turn(store: Store, turn_id: str, outcome: Outcome = DONE, **changes: Any) -> Closed:
    """Close a turn without events, unless the test passes some."""
    turn = await store.read(lambda tx: tx.turns.get(turn_id))
    assert turn is not None
    closing = Closing(turn, outcome, **({"facts": ()} | changes))
    return await store.write(lambda tx: tx.close(closing), lock=[turn.session_id])


async def lane_of(store: Store, *, wake_budget: int = 30, key: str = "") -> Lane:
    """Read the lane of s1."""
    lane = await store.read(lambda tx: tx.lane("s1", wake_budget=wake_budget, key=key))
    assert lane is not None
    return lane


async def have_task(store: Store, task: Task) -> bool:
    """Post a row, make its session if needed, and return whether the row is new."""
    await have_session(store, task.session_id)
    return await store.write(lambda tx: tx.tasks.add_if_absent(task), lock=[task.session_id])


async def have_row(store: Store, row: InboxRow) -> InboxRow:
    """Post a row, and return it as the store has it, with its id."""
    await have_session(store, row.session_id)
    await store.write(lambda tx: tx.inbox.post_if_new(row), lock=[row.session_id])
    found = await store.read(lambda tx: tx.inbox.find(row.session_id, row.dedupe_key))
    assert found is not None
    return found


async def append(store: Store, lease: Lease, events: Sequence[NewEvent]) -> list[Event]:
    """Record as a runner does: only while its lease holds."""

    async def body(tx: Transaction) -> list[Event]:
        await tx.turns.require(lease)
        return await tx.events.append(lease.session_id, lease.turn_id, events)

    return await store.write(body, lock=[lease.session_id])


async def needs_lock(store: Store, write: Body[object]) -> bool:
    """Whether what is written to s1 is refused without the lock of s1."""
    try:
        await store.write(write, lock=["s2"])
    except RuntimeError as error:
        return "s1 is written without its lock" in str(error)
    return False
