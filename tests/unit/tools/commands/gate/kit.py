"""Shortcuts to what the gate finds in a command."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orjson

from tests.unit.tools.kit import HOME
from wakeful.model.approvals.approval import Choice, Question, Reason
from wakeful.model.approvals.mode import CallStanding, Mode
from wakeful.model.approvals.reason_kinds import ONCE_ONLY
from wakeful.model.turn import Turn
from wakeful.tools.base import Intent, ToolContext, ToolResult, ToolSpec
from wakeful.tools.commands.gate.reasons import Scene, find_reasons
from wakeful.tools.gate import Gate

# Commands with all that is said of them. OTHER is a folder next to the workspace with a file in it, HERE the workspace,
# ABOVE the folder that both are in, and `link` in the workspace leads to OTHER.
Told = list[tuple[str, list[str]]]
# What is said so often that the tables have it shorter.
SHORT = {
    ", which is outside of the workspace": " (outside)",
    ", which belongs to the system or is a key of the user": " (system)",
    ", and where that is cannot be known": " (unknown)",
    "files that its text does not name": "UNNAMED",
    "throws away work that was not committed": "WORK",
}


def told(command: str, above: Path) -> list[str]:
    names = {str(above / "other"): "OTHER", str(above / "workspace"): "HERE", str(above): "ABOVE", **SHORT}
    workspace = above / "workspace"
    said = []
    for reason in reasons_of(command.replace("OTHER", str(above / "other")), workspace, workspace):
        text = f"{reason.kind} {reason.path}: {reason.reason}" if reason.path else f"{reason.kind}: {reason.reason}"
        for words, name in names.items():
            text = text.replace(words, name)
        said.append(text)
    return said


def reasons_of(command: str, workdir: Path, workspace: Path, home: Path = HOME) -> tuple[Reason, ...]:
    return find_reasons(command, Scene(workdir, workspace, home))


def kinds_of(command: str, workdir: Path, workspace: Path, home: Path = HOME) -> list[str]:
    return list(dict.fromkeys(reason.kind for reason in reasons_of(command, workdir, workspace, home)))


@dataclass(frozen=True)
class _Judged:
    """A tool whose call has these reasons to be asked about and does nothing."""

    reasons: tuple[Reason, ...]
    spec = ToolSpec("terminal", "", {})

    async def intent(self, arguments: Mapping[str, Any], context: ToolContext) -> Intent:
        return Intent("", self.reasons)

    async def may_rerun(self, arguments: Mapping[str, Any], context: ToolContext) -> bool:
        return False

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        return ToolResult.of({})


async def failure_of(reasons: Sequence[Reason], gate: Gate, context: ToolContext) -> dict[str, str]:
    """Return why the gate does not let a call with these reasons run; an empty dictionary if it does."""
    answer: dict[str, str] = orjson.loads((await gate.run(_Judged(tuple(reasons)), {}, context)).text)
    return answer


class Grantor:
    """An approver with the rule of grants: covered kinds pass, the others are asked about, some can only be allowed
    once. It grants for the session until `denies` is set.
    """

    seconds = 60.0

    def __init__(self, mode: Mode = Mode.ACCEPT_EDITS) -> None:
        self._mode = mode
        self.granted: set[str] = set()
        self.denies = False
        self.asked: list[Question] = []

    async def standing(self, turn: Turn, step: int, index: int) -> CallStanding:
        return CallStanding(self._mode)

    async def uncovered(self, turn: Turn, step: int, index: int, question: Question) -> tuple[Reason, ...]:
        return tuple(reason for reason in question.reasons if reason.kind not in self.granted - ONCE_ONLY)

    async def ask(self, turn: Turn, step: int, index: int, question: Question) -> Choice | None:
        left = await self.uncovered(turn, step, index, question)
        if not left:
            return Choice.ONCE
        if self.denies:
            self.asked.append(replace(question, reasons=left))
            return Choice.DENY
        self.granted.update(reason.kind for reason in left)
        return Choice.SESSION

    async def is_waiting(self, turn: Turn, step: int, index: int) -> bool:
        return False

    @property
    def dangers(self) -> list[tuple[str, str]]:
        """The kind and the excerpt of each reason that was denied."""
        return [(reason.kind, reason.excerpt) for question in self.asked for reason in question.reasons]
