"""Deletes sessions: hides them at once, and purges them when the undo window is over.

A purge is a series of small transactions. After a crash the next server continues with it.
"""

import logging
import math
from functools import partial

from wakeful.engine.inbox.assignment import Assignment
from wakeful.engine.inbox.commits import Commits
from wakeful.engine.inbox.dispatcher import Dispatcher, require_session
from wakeful.engine.job import Job
from wakeful.engine.ports import Clock, Equipment
from wakeful.engine.settings import EngineSettings
from wakeful.errors import SessionNotFound
from wakeful.model.session import Session
from wakeful.model.tasks.task import Host, Task, TaskKind
from wakeful.model.turn import Outcome, TurnStatus
from wakeful.store.base import Store, Transaction

# The pause while a turn or a task of a session still has to end.
_PAUSE_SECONDS = 0.5
# How often to look without a known time: no event says when the session of deleted responses has become idle. On a
# shared store another node may have deleted a session.
_ROUND_SECONDS, _SHARED_ROUND_SECONDS = 300.0, 15.0
# Rows removed per transaction: other writes wait for it.
_ROWS = 1_000
# Turns examined per transaction; the journal of each is removed with it.
_TURNS = 50
_DELETED = Outcome(TurnStatus.CANCELLED, "deleted", "The session was deleted.")

logger = logging.getLogger(__name__)


class Purger:
    def __init__(
        self,
        store: Store,
        dispatcher: Dispatcher,
        commits: Commits,
        clock: Clock,
        settings: EngineSettings,
        equipment: Equipment,
        host: Host,
    ) -> None:
        self._store = store
        self._dispatcher = dispatcher
        self._commits = commits
        self._settings = settings
        self._processes = equipment.processes
        self._files = equipment.files
        self._changed_files = equipment.changed_files
        self._attachments = equipment.attachments
        self._host = host
        self.job = Job("purger", self.sweep, clock)

    async def delete(self, session_id: str) -> None:
        """Hide a session and purge it when the undo window is over. Its work goes on until then; no new turn opens."""

        async def body(tx: Transaction) -> None:
            await _require_shown(tx, session_id)
            await tx.sessions.delete(session_id, await tx.now() + self._settings.undo_seconds)

        await self._store.write(body, lock=[session_id])
        self.job.wake()

    async def restore(self, session_id: str) -> None:
        """Undo a deletion. Raises SessionNotFound when the undo window is over."""

        async def body(tx: Transaction) -> tuple[None, Assignment | None]:
            session = await require_session(tx, session_id)
            if session.is_deleted and not await tx.sessions.restore_if_whole(session_id, await tx.now()):
                raise SessionNotFound(f"The session {session_id} can no longer be restored.")
            return None, await self._dispatcher.open_next(tx, session_id)

        await self._commits.commit(body, lock=[session_id])

    async def sweep(self) -> float | None:
        """Purge the sessions that are due. Returns the seconds until the next sweep."""

        async def look(tx: Transaction) -> list[str]:
            return await tx.sessions.to_purge(await tx.now())

        await self._delete_forgotten()
        for session_id in await self._store.read(look):
            await self.job.row(session_id, partial(self._purge, session_id))
        wait = await self._store.read(_time_left)
        if wait is not None and wait > self._settings.undo_seconds:
            await self._count_anew()
        # A negative wait: something of an overdue session still has to end.
        wait = _ROUND_SECONDS if wait is None else max(wait, _PAUSE_SECONDS)
        return min(wait, _ROUND_SECONDS if self._store.is_exclusive else _SHARED_ROUND_SECONDS)

    async def _count_anew(self) -> None:
        """Restart the undo windows: a wait longer than the window means that the store's clock was set back."""
        for session_id in await self._store.read(lambda tx: tx.sessions.to_purge(math.inf)):
            await self.job.row(session_id, partial(self._purge_soon, session_id))

    async def _purge_soon(self, session_id: str) -> None:
        async def body(tx: Transaction) -> None:
            session = await tx.sessions.get(session_id)
            if session is not None and session.is_deleted:
                # The store keeps the earlier time.
                await tx.sessions.delete(session_id, await tx.now() + self._settings.undo_seconds)

        await self._store.write(body, lock=[session_id])

    async def _delete_forgotten(self) -> None:
        """Delete sessions of which all responses were deleted: no client can reach them."""

        async def look(tx: Transaction) -> list[str]:
            return await tx.sessions.forgotten(_ROWS)

        for session_id in await self._store.read(look):
            await self.job.row(session_id, partial(self._delete_if_forgotten, session_id))

    async def _delete_if_forgotten(self, session_id: str) -> None:
        async def body(tx: Transaction) -> bool:
            return await tx.sessions.delete_if_forgotten(session_id, await tx.now())

        await self._store.write(body, lock=[session_id])

    async def _purge(self, session_id: str) -> bool:
        """Purge a session; False while its turns or tasks still have to end. Its sub-agents go first, because they are
        found through its tasks.
        """
        running = await self._end(session_id)
        for task in running:
            if task.kind is TaskKind.PROCESS:
                await self._processes.obey(task)
        children = [await self._purge_child(child) for child in await self._children(session_id)]
        if running or not all(children):
            return False
        await self._forget_files(session_id)
        while await self._remove_some(session_id):
            pass
        await self._store.write(lambda tx: tx.purges.let_go(session_id), lock=[session_id])
        files = await self._store.read(lambda tx: tx.attachments.of_session(session_id))
        if await self._remove_turns(session_id):
            # Not before: a branch of the session may still show them.
            await self._attachments.forget(session_id, files)
        logger.info("purged session %s", session_id)
        return True

    async def _purge_child(self, session_id: str) -> bool:
        async def body(tx: Transaction) -> None:
            await tx.sessions.delete(session_id, await tx.now())

        await self._store.write(body, lock=[session_id])
        return await self._purge(session_id)

    async def _end(self, session_id: str) -> list[Task]:
        """Stop the session's turn and mark its background work to be killed without notices; returns that work."""

        async def body(tx: Transaction) -> tuple[list[Task], Assignment | None]:
            if await tx.sessions.get(session_id) is None:
                return [], None
            lane = await self._dispatcher.lane(tx, session_id)
            if lane.active is not None:
                await self._dispatcher.close(tx, lane, _DELETED, by_user=True)
            await tx.cron_jobs.fail_open_runs(session_id, _DELETED.message)
            await tx.tasks.take_promises_back(session_id)
            running = await tx.tasks.running_in(session_id)
            for task in running:
                await tx.tasks.intend_kill_if_running(task.id)
            return running, None

        return await self._commits.commit(body, lock=[session_id], seals=[session_id])

    async def _children(self, session_id: str) -> list[str]:
        async def body(tx: Transaction) -> list[str]:
            return await tx.sessions.children(session_id)

        return await self._store.read(body)

    async def _forget_files(self, session_id: str) -> None:
        """Remove the session's files on this machine. The rows of its processes, which name theirs, go later."""

        async def body(tx: Transaction) -> list[Task]:
            return await tx.tasks.of_session(session_id)

        for task in await self._store.read(body):
            if task.host.id == self._host.id and task.kind is TaskKind.PROCESS:
                await self._processes.forget(task)
        await self._files.forget(session_id)
        await self._changed_files.forget(session_id)

    async def _remove_some(self, session_id: str) -> bool:
        async def body(tx: Transaction) -> bool:
            return await tx.purges.remove_some(session_id, _ROWS)

        return await self._store.write(body, lock=[session_id])

    async def _remove_turns(self, session_id: str) -> bool:
        """Remove the session's turns, and the session with the last of them; return whether it is gone. Repeats until
        nothing more can be removed: a clock that was set back may have put turns out of order.
        """
        is_changed, is_gone = True, False
        while is_changed and not is_gone:
            is_changed = await self._remove_turns_once(session_id) > 0
            is_gone = await self._store.write(lambda tx: tx.purges.finish(session_id), lock=[session_id])
        return is_gone

    async def _remove_turns_once(self, session_id: str) -> int:
        async def body(tx: Transaction) -> tuple[int, tuple[float, str] | None]:
            return await tx.purges.remove_turns(session_id, before, _TURNS)

        before: tuple[float, str] | None = None
        removed, before = await self._store.write(body, lock=[session_id])
        while before is not None:
            more, before = await self._store.write(body, lock=[session_id])
            removed += more
        return removed


async def _require_shown(tx: Transaction, session_id: str) -> Session:
    session = await require_session(tx, session_id)
    if session.is_deleted:
        raise SessionNotFound(f"There is no session {session_id}.")
    return session


async def _time_left(tx: Transaction) -> float | None:
    due = await tx.sessions.next_purge()
    return None if due is None else due - await tx.now()
