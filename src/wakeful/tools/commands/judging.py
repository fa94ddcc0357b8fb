"""Finds the reasons to ask about the commands and the typed input of a call."""

import asyncio
from pathlib import Path

from wakeful.model.approvals.approval import Reason
from wakeful.model.approvals.reason_kinds import COMMAND, INPUT
from wakeful.tools.base import ToolContext
from wakeful.tools.commands.gate.ground import open_folders
from wakeful.tools.commands.gate.reasons import Scene, find_reasons
from wakeful.tools.commands.gate.typing import Typing, reasons_to_type, runs_input
from wakeful.tools.commands.reading.judge import command_only_reads, typing_only_reads
from wakeful.tools.commands.request import TerminalRequest

_MORE = Reason(COMMAND, "does more than read, as far as can be told")
_INPUT = Reason(INPUT, "types into a program, which may write it to a file")


async def reasons_of_command(request: TerminalRequest, context: ToolContext, home: Path) -> tuple[Reason, ...]:
    """`home` is the server's own folder."""

    def find() -> tuple[Reason, ...]:
        dangers = find_reasons(request.command, _scene(request.workdir, context, home))
        reads = command_only_reads(request.command, str(request.workdir), has_terminal=request.pty)
        return dangers if reads else (*dangers, _MORE)

    # In a thread: a long command takes a while to read.
    return await asyncio.to_thread(find)


async def reasons_of_typing(typing: Typing, workdir: Path, context: ToolContext, home: Path) -> tuple[Reason, ...]:
    """Return one that nobody is asked about for a program that does not run what is typed into it."""
    scene = _scene(workdir, context, home)

    def find() -> tuple[Reason, ...]:
        if not runs_input(typing.command, scene):
            return (_INPUT,)
        dangers = reasons_to_type(typing, scene)
        reads = typing_only_reads(typing.command, typing.before, typing.new, str(workdir))
        return dangers if reads else (*dangers, _MORE)

    return await asyncio.to_thread(find)


def _scene(workdir: Path, context: ToolContext, home: Path) -> Scene:
    opened = list(open_folders(home, context.session_id))
    if context.turn.system_prompt.memory and not context.turn.is_wakeup:
        opened.append(Path(context.turn.system_prompt.memory))
    return Scene(workdir, context.workspace, home, tuple(opened))
