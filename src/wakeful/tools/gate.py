"""The gate that every call of every tool passes before it does anything. If there are reasons to ask, a person decides.

A tool says what its call is about to do, the session's mode says which of its reasons count, and the gate asks one
question about all of them together. The approver knows what was granted before: a call passes without a question only
if a grant covers each of its kinds.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from wakeful.model.approvals.approval import Choice, Question
from wakeful.model.approvals.mode import Mode
from wakeful.model.approvals.reason_kinds import COMMAND, EDIT, UNASKED
from wakeful.model.turn import Turn
from wakeful.tools.base import Intent, Tool, ToolContext, ToolResult
from wakeful.tools.ports import Approver


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a call must not run: the code of the tool's failure, and a sentence for the model."""

    code: str
    sentence: str


class Gate:
    def __init__(self, approver: Approver, can_ask: Callable[[Turn], bool]) -> None:
        """`can_ask` says whether a person can be asked in a turn."""
        self._approver = approver
        self._can_ask = can_ask

    async def run(self, tool: Tool, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        """Run the call if it may, and return its result or why it may not."""
        async with context.held:
            intent = await tool.intent(arguments, context)
            if isinstance(intent, ToolResult):
                return intent
            if refusal := await self._refusal(tool.spec.name, intent, context):
                return ToolResult.failed(refusal.code, refusal.sentence, **intent.fields)
            return await tool.run(arguments, context)

    async def is_waiting(self, context: ToolContext) -> bool:
        """Return whether the call still waits for its answer, so it has done nothing yet."""
        return await self._approver.is_waiting(context.turn, context.step, context.index)

    async def _refusal(self, tool: str, intent: Intent, context: ToolContext) -> Refusal | None:
        """Return None if the call may run."""
        if not intent.reasons:
            return None
        key = (context.turn, context.step, context.index)
        question = Question(context.call_id, tool, intent.command, intent.reasons)
        standing = await self._approver.standing(*key)
        if not standing.has_asked:
            counting = tuple(reason for reason in intent.reasons if standing.counts(reason.kind))
            question = replace(question, reasons=counting)
        if not question.reasons:
            return None
        if standing.mode is Mode.READ_ONLY and not standing.has_asked:
            return _read_only(question)
        if not self._can_ask(context.turn):
            left = await self._approver.uncovered(*key, question)
            return no_person_to_ask(replace(question, reasons=left)) if left else None
        preview = await asyncio.to_thread(intent.preview) if intent.preview else ""
        choice = await self._approver.ask(*key, replace(question, preview=preview))
        if choice is None:
            return _expired(question, self._approver.seconds)
        return _denied(question) if choice is Choice.DENY else None


def _read_only(question: Question) -> Refusal:
    kinds = {reason.kind for reason in question.reasons}
    if kinds <= UNASKED:
        way = "all others allow it"
    elif kinds <= {EDIT, COMMAND}:
        way = "accept_edits allows it, ask asks first"
    else:
        way = "ask and accept_edits ask about it"
    advice = "Go on by reading alone, or tell the user which mode it needs: they choose it with /mode or on the page."
    return Refusal("read_only", f"{_because(question)}, and this session's mode is read_only ({way}). {advice}")


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
    subject = {"terminal": "This command"}.get(question.tool, "This call")
    return f"{subject} {'; '.join(reason.reason for reason in question.reasons)}"
