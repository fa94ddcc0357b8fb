"""Finds the reasons to ask about the commands and the typed input of a call."""

import asyncio
from pathlib import Path

from wakeful.model.approvals.approval import Reason
from wakeful.tools.base import ToolContext
from wakeful.tools.commands.gate.ground import results_folder
from wakeful.tools.commands.gate.reasons import Scene, find_reasons
from wakeful.tools.commands.gate.typing import Typing, reasons_to_type


async def reasons_of_command(command: str, workdir: Path, context: ToolContext, home: Path) -> tuple[Reason, ...]:
    """`home` is the server's own folder."""
    # In a thread: a long command takes a while to read.
    return await asyncio.to_thread(find_reasons, command, _scene(workdir, context, home))


async def reasons_of_typing(typing: Typing, workdir: Path, context: ToolContext, home: Path) -> tuple[Reason, ...]:
    return await asyncio.to_thread(reasons_to_type, typing, _scene(workdir, context, home))


def _scene(workdir: Path, context: ToolContext, home: Path) -> Scene:
    return Scene(workdir, context.workspace, home, (results_folder(home, context.session_id),))
