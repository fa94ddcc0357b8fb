"""The gate before dangerous commands: a person says whether they may pass."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from wakeful.model.approval import Choice, Question, Reason
from wakeful.model.turn import Turn
from wakeful.tools.base import ToolContext
from wakeful.tools.dangers import find_danger
from wakeful.tools.ports import Approver


class Gate:
    def __init__(self, approver: Approver, can_ask: Callable[[Turn], bool]) -> None:
        """`can_ask`: whether a person can be asked in this turn."""
        self._approver = approver
        self._can_ask = can_ask

    async def refusal(self, command: str, workdir: Path, context: ToolContext) -> str | None:
        """Why the command must not be run; None when it may."""
        # A long command takes a while to read.
        danger = await asyncio.to_thread(find_danger, command, workdir, context.workspace)
        if danger is None:
            return None
        if not self._can_ask(context.turn):
            return (
                f"this command {danger.reason}, and here nobody can be asked to allow it. "
                "Do it in another way, or tell the user to run it themselves"
            )
        choice = await self._approver.ask(
            context.turn,
            context.step,
            context.index,
            Question(context.call_id, "terminal", command, (Reason(danger.name, danger.reason),)),
        )
        if choice is None:
            return f"this command {danger.reason}, and nobody allowed it within {self._approver.seconds:g} s"
        if choice is Choice.DENY:
            return f"this command {danger.reason}, and a person has denied it. Do not try it again in another form"
        return None

    async def is_closed(self, context: ToolContext) -> bool:
        """Whether the call still stands before the gate: then nothing of what it is about has happened."""
        return await self._approver.is_waiting(context.turn, context.step, context.index)
