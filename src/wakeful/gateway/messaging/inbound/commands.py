"""Commands in a chat: `/word` or `!word`, answered at once and without a turn."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from wakeful.engine.approvals.approval_data import approval_data
from wakeful.engine.engine import Engine
from wakeful.errors import AlreadyAnswered, ApprovalNotFound, ConfigError, NoFolderToGrant, OnceOnly
from wakeful.model.approvals.approval import Approval, Choice
from wakeful.model.approvals.mode import Mode, mode_of
from wakeful.model.inbox import RowKind
from wakeful.model.session import Session
from wakeful.store.base import Store, Transaction

COMMANDS = {
    "new": "begin a new conversation; what runs in this one goes on",
    "stop": "stop the answer that is being written",
    "status": "how this conversation stands",
    "tasks": "the background work of this conversation",
    "model": "show or choose the model: /model NAME",
    "mode": "show or choose what I may do without asking: /mode NAME",
    "approve": "allow what waits for an answer: /approve once, session or folder",
    "deny": "refuse what waits for an answer",
    "help": "this list",
}

_COMMAND = re.compile(r"([/!])([A-Za-z][A-Za-z0-9_]*)(?:\s+(.*))?", re.DOTALL)
_NOTHING_WAITS = "Nothing waits for an answer."


@dataclass(frozen=True, slots=True)
class Command:
    word: str
    argument: str = ""

    @property
    def is_known(self) -> bool:
        return self.word in COMMANDS


def parse_command(text: str) -> Command | None:
    """Return the command that a message is, known or not; None for an ordinary message."""
    found = _COMMAND.fullmatch(text.strip())
    if found is None:
        return None
    command = Command(found[2].lower(), (found[3] or "").strip())
    # `!important` is something that people write.
    return command if command.is_known or found[1] == "/" else None


class Commands:
    """Answers commands about the session of a chat; `/new` is the ingress's own."""

    def __init__(
        self, engine: Engine, store: Store, check_model: Callable[[str], object], model: str, mode: Mode
    ) -> None:
        """`check_model` raises ConfigError for a name that no provider answers to. `mode` is that of sessions that have
        none of their own.
        """
        self._engine = engine
        self._store = store
        self._check_model = check_model
        self._model = model
        self._mode = mode
        self._answers: dict[str, Callable[[Session | None, str], Awaitable[str]]] = {
            "stop": self._stop,
            "status": self._status,
            "tasks": self._tasks,
            "model": self._choose_model,
            "mode": self._choose_mode,
            "approve": self._approve,
            "deny": self._deny,
            "help": self._help,
        }

    async def answer(self, command: Command, session: Session | None) -> str:
        """`session`: None in a chat that has none yet."""
        if not command.is_known:
            return f"There is no command /{command.word}. /help lists them."
        return await self._answers[command.word](session, command.argument)

    async def _help(self, session: Session | None, argument: str) -> str:
        return "\n".join(["Commands:", *(f"/{word}: {words}" for word, words in COMMANDS.items())])

    async def _stop(self, session: Session | None, argument: str) -> str:
        is_stopped = session is not None and await self._engine.cancel(session.id)
        return "Stopped." if is_stopped else "Nothing is running."

    async def _status(self, session: Session | None, argument: str) -> str:
        if session is None:
            return f"Session: none yet\nModel: {self._model}\nTurn: idle\nQueued: 0\nTasks: 0 running"

        async def body(tx: Transaction) -> tuple[int, int]:
            pending = await tx.inbox.pending(session.id)
            running = [task for task in await tx.tasks.recent(session.id, ended=0) if task.is_running]
            return sum(row.kind is RowKind.MESSAGE for row in pending), len(running)

        queued, running = await self._store.read(body)
        return "\n".join(
            [
                f"Session: {session.id}",
                f"Model: {session.model or self._model}",
                f"Turn: {'idle' if session.active is None else 'running'}",
                f"Queued: {queued}",
                f"Tasks: {running} running",
            ]
        )

    async def _tasks(self, session: Session | None, argument: str) -> str:
        if session is None:
            return "No background work."

        async def body(tx: Transaction) -> list[str]:
            now = await tx.now()
            tasks = await tx.tasks.recent(session.id, ended=10)
            return [
                f"{task.id} {task.status} {(task.ended_at or now) - task.started_at:.0f} s: {task.command}"
                for task in tasks
            ]

        return "\n".join(await self._store.read(body)) or "No background work."

    async def _choose_model(self, session: Session | None, argument: str) -> str:
        if not argument:
            return f"Model: {(session.model if session else '') or self._model}"
        try:
            self._check_model(argument)
        except ConfigError:
            return f"There is no model {argument}."
        if session is None:
            return "Say something first: then this conversation can have a model."
        await self._engine.change_session(session.id, model=argument)
        return f"Model: {argument}"

    async def _choose_mode(self, session: Session | None, argument: str) -> str:
        if not argument:
            return f"Mode: {self._mode if session is None else mode_of(session, self._mode)}"
        if argument not in list(Mode):
            return f"There is no mode {argument}: it is one of {', '.join(Mode)}."
        # A person in a chat may not be the operator, who has chosen the setting.
        if Mode(argument).is_looser_than(self._mode):
            return f"In a chat the mode can be {self._mode} or a stricter one: my owner has set it so."
        if session is None:
            return "Say something first: then this conversation can have a mode."
        await self._engine.change_session(session.id, mode=argument)
        return f"Mode: {argument}"

    async def _approve(self, session: Session | None, argument: str) -> str:
        try:
            choice = Choice(argument or Choice.ONCE)
        except ValueError:
            return "Say /approve once, /approve session or /approve folder."
        if choice is Choice.DENY:
            return "Say /deny."
        return await self._answer_oldest(session, choice, "Approved.")

    async def _deny(self, session: Session | None, argument: str) -> str:
        return await self._answer_oldest(session, Choice.DENY, "Denied.")

    async def _answer_oldest(self, session: Session | None, choice: Choice, done: str) -> str:
        oldest = None if session is None else await self._oldest_question(session.id)
        if session is None or oldest is None:
            return _NOTHING_WAITS
        try:
            await self._engine.approvals.answer(session.id, oldest, choice)
        except (AlreadyAnswered, ApprovalNotFound):
            return _NOTHING_WAITS
        except (OnceOnly, NoFolderToGrant) as error:
            return str(error)
        return done

    async def _oldest_question(self, session_id: str) -> str | None:
        """Return the id under which the session shows it: the question may be a sub-agent's."""

        async def body(tx: Transaction) -> list[Approval]:
            return await tx.approvals.open_of(session_id, await tx.now())

        waiting = await self._store.read(body)
        if not waiting:
            return None
        shown: str = approval_data(min(waiting, key=lambda one: one.created_at), session_id)["call_id"]
        return shown
