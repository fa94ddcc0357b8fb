"""Records what calls change in files, and takes it back when a user wants that.

A change is a row, written before the file is. Taking one back puts the file back first and records it then: after a
crash in between, the next try finds the file as it was before the change, and only records it.
"""

from collections.abc import Sequence
from dataclasses import replace

import orjson

from wakeful.engine.inbox.dispatcher import require_session
from wakeful.engine.inbox.rewinding import belongs_to
from wakeful.engine.ports import ChangedFiles
from wakeful.engine.tasks.family import sessions_above
from wakeful.engine.tasks.task_runner import require_task
from wakeful.errors import NothingToUndo, TurnNotFound
from wakeful.model.event import SESSION_UPDATED, NewEvent
from wakeful.model.ids import new_id
from wakeful.model.inbox import UNDO, InboxRow, RowKind
from wakeful.model.journal.change import ChangeState, KeptChange, TakenBack, Undone
from wakeful.model.journal.entry import EntryKind, with_change_undone
from wakeful.model.search.search import Hit
from wakeful.model.session import Session
from wakeful.model.tasks.task import Host
from wakeful.model.turn import Door, Turn
from wakeful.store.base import Store, Transaction

# How many turns of the session that a branch began with are searched for changes.
_MOST_TURNS = 64


class ChangeRecords:
    """The rows of changes, for the tools."""

    def __init__(self, store: Store, host: Host) -> None:
        self._store = store
        self._host = host

    async def find(self, turn: Turn, step: int, index: int) -> KeptChange | None:
        if turn.is_ephemeral:
            return None
        return await self._store.read(lambda tx: tx.changes.get(turn.id, step, index))

    async def begin(self, turn: Turn, change: KeptChange) -> None:
        async def body(tx: Transaction) -> None:
            await tx.turns.require(turn.lease)
            session_id, turn_id = await _root_of(tx, turn)
            rooted = replace(change, host=self._host.id, root_session_id=session_id, root_turn_id=turn_id)
            await tx.changes.begin(rooted)

        await self._store.write(body, lock=[turn.session_id])

    async def give_up(self, change: KeptChange) -> None:
        await self._store.write(lambda tx: tx.changes.remove([change]), lock=[change.session_id])


class UndoDesk:
    def __init__(self, store: Store, host: Host, files: ChangedFiles) -> None:
        self._store = store
        self._host = host
        self._files = files

    async def undo(self, session_id: str, turn_id: str = "", call_id: str = "", *, force: bool = False) -> Undone:
        """Take back what a call, a turn, or the last turn with changes has done to files, newest first. With `force`
        also where a file has changed since. Raises TurnNotFound and NothingToUndo.
        """
        found = await self._store.read(lambda tx: _find(tx, session_id, turn_id, call_id, force=force))
        changes = [change for change in found if change.host == self._host.id]
        if not changes:
            raise NothingToUndo
        outcome = Undone({}, {})
        stuck: set[str] = set()
        for change in changes:
            if change.path in stuck:
                continue
            taken = await self._files.take_back(change, force=force)
            if taken.may_be_tried_again:
                # Neither are older changes of the file tried: they would find it as the newer one left it.
                stuck.add(change.path)
            else:
                await self._settle(session_id, change, taken)
            if taken.kind:
                outcome.undone[change.shown] = taken.kind
            else:
                outcome.skipped.setdefault(change.shown, taken.reason)
        return outcome

    async def _settle(self, session_id: str, change: KeptChange, taken: TakenBack) -> None:
        """Record what became of a change. The agent learns of it with the session's next message."""
        state = ChangeState.UNDONE if taken.kind else ChangeState.SKIPPED

        async def body(tx: Transaction) -> None:
            session = await require_session(tx, session_id)
            if not await tx.changes.settle(change, state) or state is ChangeState.SKIPPED:
                return
            await tx.inbox.post_if_new(replace(_remark(session, change), created_at=await tx.now()))
            for entry in await tx.journal.at([Hit(change.turn_id, change.step, change.index)]):
                if entry.kind is EntryKind.RESULT:
                    await tx.journal.replace(with_change_undone(entry))
            for shown_in in {session_id, change.session_id}:
                await tx.events.append(shown_in, None, [_announcement(shown_in, change)])

        await self._store.write(body, lock={session_id, change.session_id})


async def _root_of(tx: Transaction, turn: Turn) -> tuple[str, str]:
    """Return the session and the turn at the top, for which this turn works, at any depth."""
    session_id, turn_id = turn.session_id, turn.id
    for session in (await sessions_above(tx, turn.session_id))[:-1]:
        assert session.task_id is not None
        task = await require_task(tx, session.task_id)
        session_id, turn_id = task.session_id, task.turn_id
    return session_id, turn_id


async def _find(tx: Transaction, session_id: str, turn_id: str, call_id: str, *, force: bool) -> Sequence[KeptChange]:
    session = await require_session(tx, session_id)
    states = [ChangeState.MADE, *([ChangeState.SKIPPED] if force else [])]
    if turn_id:
        await _require_turn(tx, session, turn_id)
    else:
        turn_id = await tx.changes.last_turn(session_id, states, call_id) or ""
    turn_ids = [turn_id] if turn_id else await _turns_before(tx, session)
    for each in turn_ids:
        changes = await tx.changes.of_turn(each)
        wanted = [change for change in changes if change.state in states and call_id in ("", change.call_id)]
        if wanted:
            return wanted
    return ()


async def _require_turn(tx: Transaction, session: Session, turn_id: str) -> None:
    turn = await tx.turns.get(turn_id)
    if turn is None or not await belongs_to(tx, turn, session):
        raise TurnNotFound(f"There is no turn {turn_id} in this session.")


async def _turns_before(tx: Transaction, session: Session) -> list[str]:
    """Return the newest turns that a branch began with, newest first; the session has no changes of its own left."""
    turns = [] if session.head is None else await tx.turns.chain(session.head, _MOST_TURNS)
    return [turn.id for turn in turns if turn.session_id != session.id]


def _remark(session: Session, change: KeptChange) -> InboxRow:
    return InboxRow(
        id=0,
        session_id=session.id,
        dedupe_key=f"undo:{change.key}",
        kind=RowKind.REMARK,
        source=UNDO,
        # It never opens a turn.
        turn_id=new_id("turn"),
        door=Door(session.address.platform, async_delivery=True),
        address=session.address,
        model=session.model,
        payload=orjson.dumps({"text": change.shown}),
    )


def _announcement(session_id: str, change: KeptChange) -> NewEvent:
    data = {"session_id": session_id, "changed": ["changes"], "undone_call_id": change.call_id, "path": change.shown}
    return NewEvent.of(SESSION_UPDATED, data | {"turn_id": change.turn_id})
