"""Keeps processes that no engine owns: `terminal_tool` starts them in a program without an engine. Their rows are in
memory, and the notices that an engine would deliver wait in `completion_queue` for the program.
"""

import asyncio
import atexit
import queue
import shutil
import tempfile
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from wakeful.context import get_session_env
from wakeful.model.ids import new_id
from wakeful.model.session import Address
from wakeful.model.tasks.task import Task, TaskKind, TaskStatus, WatchMatch
from wakeful.model.turn import Door
from wakeful.tools.processes.keeper import ProcessKeeper
from wakeful.tools.processes.kernel.host import this_host
from wakeful.tools.processes.launch import Launch
from wakeful.tools.processes.ledgers.memory import MemoryLedger
from wakeful.tools.processes.settings import ProcessSettings

T = TypeVar("T")

# Seconds between two checks, for readers of pending_watchers.
_CHECK_INTERVAL = 5
# Older ends are forgotten.
_MOST_CONSUMED = 10_000


class ProcessRegistry:
    def __init__(self) -> None:
        self.completion_queue: queue.Queue[dict[str, Any]] = queue.Queue()
        # Public: its reader may replace the list.
        self.pending_watchers: list[dict[str, Any]] = []
        # In the order of arrival, to forget the oldest.
        self._consumed: dict[str, None] = {}
        self._consume_in_engine: Callable[[str], None] | None = None
        self._lock = threading.Lock()
        self._kept: _KeeperThread | None = None

    def is_completion_consumed(self, session_id: str) -> bool:
        return session_id in self._consumed

    def mark_completion_consumed(self, session_id: str) -> None:
        """Record that the end of this process was seen, so it is not delivered any more."""
        self.note_delivered(session_id)
        if self._consume_in_engine is not None:
            self._consume_in_engine(session_id)

    def note_delivered(self, session_id: str) -> None:
        """Record that an engine has delivered the end of this process, so other readers do not deliver it again."""
        with self._lock:
            self._consumed[session_id] = None
            while len(self._consumed) > _MOST_CONSUMED:
                del self._consumed[next(iter(self._consumed))]

    def serve_engine(self, consume: Callable[[str], None] | None) -> None:
        """Pass what is marked as consumed to an engine. `consume` is called from any thread; None disconnects it."""
        self._consume_in_engine = consume

    def new_task(self, command: str, launch: Launch) -> Task:
        """Return a task for a process of the session that the context is bound to, if any."""
        kept = self._kept_open()
        return Task(
            id=new_id("proc"),
            kind=TaskKind.PROCESS,
            session_id=get_session_env("HERMES_SESSION_KEY"),
            owner="",
            turn_id="",
            step=0,
            index=0,
            host=kept.keeper.host,
            command=command,
            door=Door("standalone", True),
            address=Address(
                get_session_env("HERMES_SESSION_PLATFORM"),
                get_session_env("HERMES_SESSION_CHAT_ID"),
                get_session_env("HERMES_SESSION_THREAD_ID"),
            ),
            model="",
            will_notify=launch.notify_on_complete,
            spec=launch.dump(),
        )

    def note_promise(self, task: Task) -> None:
        """Add the task to `pending_watchers` if a gateway has a platform to deliver its end to."""
        if not task.address.platform:
            return
        self.pending_watchers.append(
            {
                "session_id": task.id,
                "check_interval": _CHECK_INTERVAL,
                "session_key": task.session_id,
                "platform": task.address.platform,
                "chat_id": task.address.chat_id,
                "user_id": get_session_env("HERMES_SESSION_USER_ID"),
                "user_name": get_session_env("HERMES_SESSION_USER_NAME"),
                "thread_id": task.address.thread_id,
                "message_id": get_session_env("HERMES_SESSION_MESSAGE_ID"),
                "notify_on_complete": task.will_notify,
            }
        )

    def run(self, work: Callable[[ProcessKeeper], Coroutine[Any, Any, T]]) -> T:
        """Run work with the keeper on the keeper's event loop, and wait for it. Do not call this from that loop."""
        return self._kept_open().run(work)

    def close(self) -> None:
        """Stop watching. Processes run on without notices of their ends, and the next use starts a new keeper."""
        with self._lock:
            kept, self._kept = self._kept, None
        if kept is not None:
            kept.close()

    def _kept_open(self) -> "_KeeperThread":
        with self._lock:
            if self._kept is None:
                self._kept = _KeeperThread(MemoryLedger(self._queue_end, self._queue_match))
            return self._kept

    def _queue_end(self, task: Task) -> None:
        if task.id in self._consumed:
            return
        self.completion_queue.put(
            {
                "type": "completion",
                "session_id": task.id,
                "session_key": task.session_id,
                "command": task.command,
                "exit_code": task.exit_code,
                "completion_reason": str(task.status),
                "termination_source": "unknown" if task.status is TaskStatus.LOST else "process",
                "output": task.result,
                "started_at": task.started_at,
            }
        )

    def _queue_match(self, task: Task, match: WatchMatch) -> None:
        self.completion_queue.put(
            {
                "type": "watch_match",
                "session_id": task.id,
                "session_key": task.session_id,
                "command": task.command,
                "pattern": match.pattern,
                "output": match.line,
                "started_at": task.started_at,
            }
        )


class _KeeperThread:
    """A keeper with its own event loop and thread: callers have no loop, or one that must not block."""

    def __init__(self, ledger: MemoryLedger) -> None:
        # mkdtemp makes a folder that only this user can read.
        self._root = Path(tempfile.mkdtemp(prefix="wakeful-"))
        self._ledger = ledger
        self.keeper = ProcessKeeper(ledger, ProcessSettings(self._root / "processes"), this_host(self._root))
        self._loop = asyncio.new_event_loop()
        # Not asyncio's default executor: this one must be shut down while the interpreter exits.
        self._executor = ThreadPoolExecutor(thread_name_prefix="wakeful-processes")
        self._loop.set_default_executor(self._executor)
        self._thread = threading.Thread(target=self._loop.run_forever, name="wakeful-processes", daemon=True)
        self._thread.start()

    def run(self, work: Callable[[ProcessKeeper], Coroutine[Any, Any, T]]) -> T:
        return asyncio.run_coroutine_threadsafe(work(self.keeper), self._loop).result()

    def close(self) -> None:
        self.run(lambda keeper: keeper.close())
        has_running = bool(self.run(lambda keeper: self._ledger.adopt(keeper.host)))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._executor.shutdown()
        self._loop.close()
        if not has_running:
            shutil.rmtree(self._root, ignore_errors=True)


# The only global of the package: clients import it by this name.
process_registry = ProcessRegistry()
atexit.register(process_registry.close)
