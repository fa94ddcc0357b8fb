"""The terminal tool: runs commands that the agent waits for, and starts processes in the background."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from wakeful.context import async_delivery_supported, current_cwd
from wakeful.model.approvals.approval import Question
from wakeful.model.ids import new_id
from wakeful.model.tasks.task import Task, TaskKind
from wakeful.model.turn import Lease
from wakeful.tools.base import RESULT_LIMIT, Intent, ToolContext, ToolResult, ToolSpec, Unusable, as_sentence
from wakeful.tools.commands.gate.ground import is_open_workspace, open_folders
from wakeful.tools.commands.gate.reasons import Scene, find_reasons
from wakeful.tools.commands.judging import reasons_of_command
from wakeful.tools.commands.request import (
    DEFAULT_TIMEOUT,
    LONGEST_TIMEOUT,
    TerminalRequest,
    asks_for_background,
    read_request,
)
from wakeful.tools.files.kept_results import kept_path
from wakeful.tools.gate import no_person_to_ask
from wakeful.tools.process_registry import process_registry
from wakeful.tools.processes.foreground import ForegroundResult
from wakeful.tools.processes.keeper import ProcessKeeper, SpawnFailed, Started
from wakeful.tools.processes.launch import Launch, launch_of

# The fields of the answer of a call that ran nothing, beside its error.
_NOTHING_RAN: Mapping[str, Any] = {"output": "", "exit_code": -1}

NOTIFY_UNSUPPORTED = (
    "This channel cannot deliver anything later, so nothing was registered, and no notice of the end or of a match "
    "will come. Ask with process(action='poll') or process(action='wait') before this turn ends."
)

ENDS_WITH_RESPONSE = (
    "This response is not stored: the process is killed when the response ends, and no notice of its end or of a match "
    "will come. Ask with process(action='poll') or process(action='wait') before this turn ends."
)

_DESCRIPTION = f"""\
Run a shell command (bash where there is one) in the workspace.

Foreground (default): waits for the command, {DEFAULT_TIMEOUT} s if no timeout is given and {LONGEST_TIMEOUT} s at \
most, and returns its output and exit code. When it ends, everything left in its process group is killed: \
use background=true for servers, not "&".

Background (background=true): returns at once with session_id, the id for the process tool. The process outlives this \
turn and a restart of the server. With notify_on_complete=true you are woken once, when it ends, with its exit code \
and the end of its output. With watch_patterns you get notices of lines that contain one of the texts, at most one in \
15 seconds; after too many matches the watch turns itself off, and you get a notice of the end instead. You are not \
woken for a process that you kill. A child that starts a new session (setsid, a daemon) is not found again.

Some channels cannot deliver anything later. There notify_on_complete and watch_patterns register nothing, and the \
answer has notify_on_complete: false and notify_unsupported: use process(action='poll') or process(action='wait') \
before the turn ends, and promise nothing.

Dangerous commands, such as a delete outside of the workspace, are run only if a person allows it."""

_PARAMETERS = {
    "type": "object",
    "properties": {
        "command": {"type": "string", "description": "The shell command."},
        "background": {"type": "boolean", "description": "Start it and return at once."},
        "timeout": {
            "type": "number",
            "description": f"Foreground only: seconds, {DEFAULT_TIMEOUT} by default, {LONGEST_TIMEOUT} at most.",
        },
        "workdir": {"type": "string", "description": "Directory to run it in; the workspace if left out."},
        "pty": {"type": "boolean", "description": "Give it a terminal, for interactive programs."},
        "notify_on_complete": {"type": "boolean", "description": "Background only: be woken when it ends."},
        "watch_patterns": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Background only: be notified of output lines that contain one of these texts.",
        },
    },
    "required": ["command"],
}


class TerminalTool:
    spec = ToolSpec(name="terminal", description=_DESCRIPTION, parameters=_PARAMETERS)

    def __init__(self, keeper: ProcessKeeper, home: Path) -> None:
        """`home` is the server's own folder."""
        self._keeper = keeper
        self._home = home

    async def intent(self, arguments: Mapping[str, Any], context: ToolContext) -> Intent | ToolResult:
        try:
            request = read_request(arguments, context.workspace)
        except Unusable as unusable:
            return _unusable(unusable)
        reasons = await reasons_of_command(request, context, self._home)
        return Intent(request.command, reasons, fields=_NOTHING_RAN)

    async def may_rerun(self, arguments: Mapping[str, Any], context: ToolContext) -> bool:
        """Return True for a background call, which finds the row of the process that it has begun."""
        return asks_for_background(arguments)

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        own = [context.workspace] if is_open_workspace(context.workspace, self._home) else []
        opened = (*own, *open_folders(self._home, context.session_id))
        try:
            request = replace(read_request(arguments, context.workspace), opened=tuple(map(os.path.realpath, opened)))
        except Unusable as unusable:
            return _unusable(unusable)
        if not request.background:
            keep_in = kept_path(self._home, context)
            return await _run_foreground(self._keeper, request, limit=context.result_limit, keep_in=keep_in)
        can_deliver = async_delivery_supported() and context.turn.door.async_delivery
        task = _task_of_turn(request, context, self._keeper, can_deliver=can_deliver)
        lease = None if context.turn.is_ephemeral else context.turn.lease
        return await _start(self._keeper, lease, task, request, ends_with_turn=context.turn.is_ephemeral)


def terminal_tool(
    command: str,
    background: bool = False,
    timeout: float | None = None,
    workdir: str | None = None,
    pty: bool = False,
    notify_on_complete: bool = False,
    watch_patterns: list[str] | None = None,
) -> str:
    """Run a command without an engine, and return JSON. Dangerous commands are refused: no person can be asked."""
    arguments = {
        "command": command,
        "background": background,
        "timeout": timeout,
        "workdir": workdir,
        "pty": pty,
        "notify_on_complete": notify_on_complete,
        "watch_patterns": watch_patterns,
    }
    workspace = Path(current_cwd())
    try:
        request = read_request(arguments, workspace)
    except Unusable as unusable:
        return _unusable(unusable).text
    if reasons := find_reasons(request.command, Scene(request.workdir, workspace, _own_home())):
        refusal = no_person_to_ask(Question("", "terminal", request.command, reasons))
        return ToolResult.failed(refusal.code, refusal.sentence, **_NOTHING_RAN).text
    if not request.background:
        return process_registry.run(lambda keeper: _run_foreground(keeper, request)).text
    launch, has_promise = _launch(request, can_deliver=async_delivery_supported())
    task = process_registry.new_task(request.command, launch)
    result = process_registry.run(lambda keeper: _start(keeper, None, task, request))
    if result.consumes:
        process_registry.mark_completion_consumed(task.id)
    elif has_promise:
        process_registry.note_promise(task)
    return result.text


def _own_home() -> Path:
    """Return the folder where a server of this user keeps its key; without an engine there are no settings to read."""
    return Path(os.environ.get("WAKEFUL_HOME", "").strip() or "~/.wakeful").expanduser()


async def _run_foreground(
    keeper: ProcessKeeper, request: TerminalRequest, *, limit: int = RESULT_LIMIT, keep_in: Path | None = None
) -> ToolResult:
    result = await keeper.foreground.run(
        request.command,
        str(request.workdir),
        timeout=DEFAULT_TIMEOUT if request.timeout is None else request.timeout,
        pty=request.pty,
        variables=request.variables,
        opened=request.opened,
        limit=limit,
        keep_in=keep_in,
    )
    return _foreground_answer(result)


async def _start(
    keeper: ProcessKeeper, lease: Lease | None, task: Task, request: TerminalRequest, *, ends_with_turn: bool = False
) -> ToolResult:
    try:
        started = await keeper.start(lease, task)
    except SpawnFailed as failed:
        # The failure shows the task's end, so it consumes its notice.
        fields = {"output": "", "session_id": task.id, "exit_code": failed.exit_code}
        failure = ToolResult.failed("tool_error", as_sentence(failed.reason), **fields)
        return replace(failure, consumes=(task.id,))
    return _background_answer(started, request, ends_with_turn=ends_with_turn)


def _task_of_turn(request: TerminalRequest, context: ToolContext, keeper: ProcessKeeper, *, can_deliver: bool) -> Task:
    launch, _ = _launch(request, can_deliver=can_deliver)
    turn = context.turn
    return Task(
        id=new_id("proc"),
        kind=TaskKind.PROCESS,
        session_id=turn.session_id,
        # The ledger fills it in from the session.
        owner="",
        turn_id=turn.root_id,
        step=context.step,
        index=context.index,
        host=keeper.host,
        command=request.command,
        door=turn.door,
        address=turn.address,
        model=turn.model,
        will_notify=launch.notify_on_complete,
        spec=launch.dump(),
    )


def _launch(request: TerminalRequest, *, can_deliver: bool) -> tuple[Launch, bool]:
    """Return how to start the process, with the promises that can be kept, and whether there is one."""
    launch = Launch(
        workdir=str(request.workdir),
        pty=request.pty,
        watch_patterns=request.watch_patterns if can_deliver else (),
        notify_on_complete=request.notify_on_complete and can_deliver,
        variables=request.variables,
        opened=request.opened,
    )
    return launch, request.wants_promise and can_deliver


def _foreground_answer(result: ForegroundResult) -> ToolResult:
    if result.failure is None:
        return ToolResult.of({"output": result.output, "exit_code": result.exit_code, "error": None})
    fields = {"output": result.output, "exit_code": result.exit_code}
    return ToolResult.failed(result.failure, as_sentence(result.error or ""), **fields)


def _background_answer(started: Started, request: TerminalRequest, *, ends_with_turn: bool) -> ToolResult:
    """Build the answer from the launch of the spawn, which may have been in an earlier run of the same call."""
    launch = launch_of(started.task)
    answer: dict[str, Any] = {
        "output": "Background process started",
        "session_id": started.task.id,
        "pid": started.pid,
        "exit_code": 0,
        "error": None,
        "notify_on_complete": launch.notify_on_complete,
    }
    if launch.watch_patterns:
        answer["watch_patterns"] = list(launch.watch_patterns)
    if ends_with_turn:
        answer["notify_unsupported"] = ENDS_WITH_RESPONSE
    elif request.wants_promise and not (launch.notify_on_complete or launch.watch_patterns):
        answer["notify_unsupported"] = NOTIFY_UNSUPPORTED
    if request.timeout is not None:
        answer["note"] = "timeout is for foreground commands; a background process runs until it ends or is killed."
    return ToolResult.of(answer)


def _unusable(unusable: Unusable) -> ToolResult:
    return ToolResult.failed(unusable.code, f"{unusable}.", **_NOTHING_RAN)
