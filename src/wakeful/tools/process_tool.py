"""The tool for background work: lists, reads, waits for, writes to and ends processes and delegations of the agent."""

import asyncio
import time
from asyncio import Lock
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from wakeful.model.approvals.approval import Reason
from wakeful.model.approvals.reason_kinds import COMMAND
from wakeful.model.tasks.task import Task, TaskKind
from wakeful.tools.arguments import whole_number_in
from wakeful.tools.base import RESULT_LIMIT, Intent, ToolContext, ToolResult, ToolSpec, Unusable
from wakeful.tools.commands.gate.typing import Typing
from wakeful.tools.commands.judging import reasons_of_typing
from wakeful.tools.commands.request import LONGEST_TIMEOUT, read_timeout
from wakeful.tools.ports import Delegator, TaskLedger
from wakeful.tools.processes.keeper import ProcessKeeper
from wakeful.tools.processes.launch import launch_of
from wakeful.tools.processes.stdin import InputRefused
from wakeful.tools.processes.typed import LOST

_DEFAULT_WAIT = 180.0
_ENDS = Reason(COMMAND, "ends background work")
# Many programs end with their input, and some run it only then.
_CLOSES = Reason(COMMAND, "ends the input of background work")
_PREVIEW = 4_000

_DESCRIPTION = f"""\
Look after background work: processes of terminal(background=true) and background delegations.

Actions: list (all of this session), poll (status and the end of the output), log (the output from a byte offset; its \
end if no offset is given), wait (until it ends or the timeout is over, {LONGEST_TIMEOUT} s at most), kill (ends the \
process with everything in its process group; a child that started a new session is not found and may go on), \
write (data to its input as it is), submit (data and a newline), close (end of its input; ^D for a terminal). \
All but list need session_id, the id that the start has returned.

Once poll, wait, log or kill has shown you the end of a process, you are not woken for it any more. You are not woken \
for a process that was killed either. Delegations support list, poll, wait and kill."""

_PARAMETERS = {
    "type": "object",
    "properties": {
        "action": {
            "type": "string",
            "enum": ["list", "poll", "log", "wait", "kill", "write", "submit", "close"],
        },
        "session_id": {"type": "string", "description": "The id of the process or the delegation."},
        "data": {"type": "string", "description": "For write and submit."},
        "timeout": {"type": "number", "description": f"For wait: seconds, {_DEFAULT_WAIT:g} by default."},
        "offset": {"type": "integer", "minimum": 0, "description": "For log: the byte to begin at."},
        "limit": {"type": "integer", "minimum": 1, "description": f"For log: bytes, {RESULT_LIMIT:,} at most."},
    },
    "required": ["action"],
}


class ProcessTool:
    spec = ToolSpec(name="process", description=_DESCRIPTION, parameters=_PARAMETERS)

    def __init__(self, keeper: ProcessKeeper, ledger: TaskLedger, delegator: Delegator, home: Path) -> None:
        """`home` is the server's own folder."""
        self._keeper = keeper
        self._ledger = ledger
        self._delegator = delegator
        self._home = home
        # Inputs of a process go one after the other: the gate reads each together with those before it.
        self._typing: WeakValueDictionary[str, Lock] = WeakValueDictionary()
        self._actions: Mapping[str, Callable[[Task, Mapping[str, Any], ToolContext], Awaitable[ToolResult]]] = {
            "poll": self._poll,
            "log": self._log,
            "wait": self._wait,
            "kill": self._kill,
            "write": self._type,
            "submit": self._type,
            "close": self._close,
        }

    async def may_rerun(self, arguments: Mapping[str, Any], context: ToolContext) -> bool:
        return arguments.get("action") in ("list", "poll", "log", "wait", "kill")

    async def intent(self, arguments: Mapping[str, Any], context: ToolContext) -> Intent | ToolResult:
        action = arguments.get("action")
        if action not in ("kill", "write", "submit", "close"):
            return Intent()
        try:
            task = await self._require(arguments, context)
            if action == "kill":
                return Intent(task.command, (_ENDS,), fields={"session_id": task.id})
            self._require_input(task)
            await context.held.enter_async_context(self._typing.setdefault(task.id, Lock()))
            if action == "close":
                return Intent(task.command, (_CLOSES,), fields={"session_id": task.id})
            return await self._typing_intent(task, arguments, context)
        except (Unusable, InputRefused) as error:
            return _failure(error)

    async def _typing_intent(self, task: Task, arguments: Mapping[str, Any], context: ToolContext) -> Intent:
        text = _typed_text(arguments)
        before = await asyncio.to_thread(self._keeper.outputs.folder(task.id).typed.read)
        workdir = Path(launch_of(task).workdir)
        reasons = await reasons_of_typing(Typing(task.command, before, text), workdir, context, self._home)
        return Intent(text.rstrip("\r\n"), reasons, fields={"session_id": task.id})

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        try:
            if arguments.get("action") == "list":
                tasks = await self._ledger.all_visible(context.turn)
                return _result({"processes": [_summary(task) for task in tasks]})
            act = self._actions.get(str(arguments.get("action")))
            if act is None:
                raise Unusable(f"action must be one of list, {', '.join(self._actions)}")
            return await act(await self._require(arguments, context), arguments, context)
        except (Unusable, InputRefused) as error:
            return _failure(error)

    async def _require(self, arguments: Mapping[str, Any], context: ToolContext) -> Task:
        task_id = arguments.get("session_id")
        if not isinstance(task_id, str) or not task_id:
            raise Unusable("session_id must be the id of a process")
        task = await self._ledger.visible(context.turn, task_id)
        if task is None:
            raise Unusable(f"process {task_id} was not found in this session", "not_found")
        return task

    async def _poll(self, task: Task, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        task = await self._keeper.look(task.id) or task
        return await self._shown(task)

    async def _wait(self, task: Task, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        timeout = read_timeout(arguments.get("timeout")) or _DEFAULT_WAIT
        if timeout > LONGEST_TIMEOUT:
            raise Unusable(f"wait can wait for {LONGEST_TIMEOUT} s at most; wait again after that")
        if task.kind is TaskKind.DELEGATION:
            task = await self._ended_delegation(task, timeout)
        else:
            task = await self._keeper.wait(task.id, timeout) or task
        return await self._shown(task, waited=timeout)

    async def _ended_delegation(self, task: Task, timeout: float) -> Task:
        try:
            async with asyncio.timeout(timeout):
                (task,) = await self._delegator.ended([task.id])
        except TimeoutError:
            pass
        return task

    async def _log(self, task: Task, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        self._require_process(task)
        limit = min(whole_number_in(arguments, "limit", 0) or RESULT_LIMIT, RESULT_LIMIT, context.result_limit)
        task = await self._keeper.look(task.id) or task
        self._require_here(task)
        offset = whole_number_in(arguments, "offset", 0)
        if offset is None:
            offset = max(0, await self._keeper.outputs.size(task.id) - limit)
        page = await self._keeper.outputs.page(task.id, offset, has_ended=not task.is_running, limit=limit)
        answer = _summary(task) | {
            "output": page.text or (task.result if offset == 0 else ""),
            "offset": page.offset,
            "next_offset": page.next_offset,
        }
        return _result(answer, task)

    async def _kill(self, task: Task, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        if task.kind is TaskKind.DELEGATION:
            is_killed = await self._delegator.stop(task.id)
        else:
            is_killed = await self._keeper.kill(task.id)
        task = await self._ledger.get(task.id) or task
        answer = _summary(task)
        if not is_killed:
            answer["note"] = "It had ended already."
        elif task.is_running:
            answer["note"] = f"It runs on host {task.host.id}, which was asked to kill it."
        return _result(answer, task)

    async def _type(self, task: Task, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        self._require_input(task)
        text = _typed_text(arguments)
        typed = self._keeper.outputs.folder(task.id).typed
        await asyncio.to_thread(typed.add, text)
        try:
            await self._keeper.write(task.id, text.encode(errors="replace"))
        except InputRefused:
            # How much of the text the process has read is unknown.
            await asyncio.to_thread(typed.add, LOST)
            raise
        return _result({"session_id": task.id, "status": "ok", "bytes_written": len(text.encode(errors="replace"))})

    async def _close(self, task: Task, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        self._require_input(task)
        # A terminal stays open: later input goes to the program that started the one that reads ^D.
        await asyncio.to_thread(self._keeper.outputs.folder(task.id).typed.add, LOST)
        await self._keeper.close_input(task.id)
        return _result({"session_id": task.id, "status": "ok"})

    async def _shown(self, task: Task, *, waited: float | None = None) -> ToolResult:
        answer = _summary(task)
        if task.kind is TaskKind.PROCESS and self._is_here(task):
            output, answer["is_cut"] = await self._keeper.outputs.tail(task.id, _PREVIEW)
            # A process that never ran has no output; its row says why.
            answer["output"] = output or task.result
        elif not task.is_running:
            answer["output"] = task.result
        elif task.kind is TaskKind.PROCESS:
            answer["note"] = f"It runs on host {task.host.id}, and its output is on that host."
        if waited is not None and task.is_running:
            answer["note"] = f"It is still running after {waited:g} s."
        return _result(answer, task)

    def _is_here(self, task: Task) -> bool:
        return task.host.id == self._keeper.host.id

    def _require_here(self, task: Task) -> None:
        if not self._is_here(task):
            raise Unusable(f"process {task.id} is on host {task.host.id}, not on this one", "unreachable")

    def _require_input(self, task: Task) -> None:
        self._require_process(task)
        self._require_here(task)
        if not self._keeper.watches(task.id):
            raise InputRefused("it does not run here")

    def _require_process(self, task: Task) -> None:
        if task.kind is TaskKind.DELEGATION:
            raise Unusable(f"{task.id} is a delegation, which supports only poll, wait and kill")


def _summary(task: Task) -> dict[str, Any]:
    return {
        "session_id": task.id,
        "kind": task.kind,
        "command": task.command,
        "status": task.status,
        "exit_code": task.exit_code,
        "seconds": round((task.ended_at or time.time()) - task.started_at, 1),
        "notify_on_complete": task.has_promise,
    }


def _typed_text(arguments: Mapping[str, Any]) -> str:
    data = arguments.get("data")
    if not isinstance(data, str):
        raise Unusable("data must be a string")
    return f"{data}\n" if arguments.get("action") == "submit" else data


def _failure(error: Unusable | InputRefused) -> ToolResult:
    sentence = f"{error}." if isinstance(error, Unusable) else f"The process cannot be written to: {error}."
    return ToolResult.failed(error.code, sentence)


def _result(answer: Mapping[str, Any], task: Task | None = None) -> ToolResult:
    """Build the result. If the task has ended, the result shows its end and consumes its notice."""
    consumes = () if task is None or task.is_running else (task.id,)
    return ToolResult.of(answer, consumes)
