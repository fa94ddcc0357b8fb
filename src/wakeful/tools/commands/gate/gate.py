"""The gate that every call passes before it does anything. If there are reasons to ask, a person decides.

The gate asks one question about all reasons together. The approver knows what was granted before: a call passes without
a question only if a grant covers each of its kinds.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wakeful.model.approvals.approval import Choice, Question
from wakeful.model.turn import Turn
from wakeful.tools.base import ToolContext
from wakeful.tools.commands.gate.ground import results_folder
from wakeful.tools.commands.gate.reasons import Scene, find_reasons
from wakeful.tools.commands.gate.typing import Typing, reasons_to_type
from wakeful.tools.ports import Approver


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a call must not run: the code of the tool's failure, and a sentence for the model."""

    code: str
    sentence: str


class Gate:
    def __init__(self, approver: Approver, can_ask: Callable[[Turn], bool], home: Path) -> None:
        """`can_ask` says whether a person can be asked in a turn. `home` is the server's own folder."""
        self._approver = approver
        self._can_ask = can_ask
        self.home = home

    async def refusal_of_command(self, command: str, workdir: Path, context: ToolContext) -> Refusal | None:
        # In a thread: a long command takes a while to read.
        reasons = await asyncio.to_thread(find_reasons, command, self._scene(workdir, context))
        return await self.refusal(Question(context.call_id, "terminal", command, reasons), context)

    async def refusal_of_typing(self, typing: Typing, workdir: Path, context: ToolContext) -> Refusal | None:
        reasons = await asyncio.to_thread(reasons_to_type, typing, self._scene(workdir, context))
        return await self.refusal(Question(context.call_id, "process", typing.new.rstrip("\r\n"), reasons), context)

    async def refusal(self, question: Question, context: ToolContext) -> Refusal | None:
        """Return None if the call may run."""
        if not question.reasons:
            return None
        if not self._can_ask(context.turn):
            return no_person_to_ask(question)
        choice = await self._approver.ask(context.turn, context.step, context.index, question)
        if choice is None:
            return _expired(question, self._approver.seconds)
        return _denied(question) if choice is Choice.DENY else None

    async def is_closed(self, context: ToolContext) -> bool:
        """Return whether the call still waits for its answer, so it has done nothing yet."""
        return await self._approver.is_waiting(context.turn, context.step, context.index)

    def _scene(self, workdir: Path, context: ToolContext) -> Scene:
        return Scene(workdir, context.workspace, self.home, (results_folder(self.home, context.session_id),))


def no_person_to_ask(question: Question) -> Refusal:
    advice = "Do it in another way, or ask the user to run it themselves."
    return Refusal("nobody_to_ask", f"{_because(question)}, and here no person can be asked to allow it. {advice}")


def _expired(question: Question, seconds: float) -> Refusal:
    advice = "Do it in another way, or ask the user to allow it and try again then."
    return Refusal("expired", f"{_because(question)}, and no person allowed it within {seconds:g} s. {advice}")


def _denied(question: Question) -> Refusal:
    advice = "Do not try it again in another form: go on without it, or ask the user what to do instead."
    return Refusal("denied", f"{_because(question)}, and a person has denied it. {advice}")


def _because(question: Question) -> str:
    subject = {"terminal": "This command", "process": "This input"}.get(question.tool, "This call")
    return f"{subject} {'; '.join(reason.reason for reason in question.reasons)}"
