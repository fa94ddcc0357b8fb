"""Runs the tool calls of one answer concurrently, and decides what to do with calls that a crash cut off."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import orjson

from wakeful.agent.pictures import NOT_KEPT, ResultPictures
from wakeful.model.journal.fact import CallFinished, OpenCall
from wakeful.model.journal.message import ToolCall
from wakeful.model.journal.transcript import INTERRUPTED
from wakeful.model.turn import Turn
from wakeful.tools.base import Tool, ToolContext, ToolResult, TurnTools

logger = logging.getLogger(__name__)


class CallGate(Protocol):
    async def run(self, tool: Tool, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        """Run the call if it may, and return its result or why it may not."""
        ...

    async def is_waiting(self, context: ToolContext) -> bool:
        """Return whether the call still waits for a person's answer, so it has done nothing yet."""
        ...


class LongResults(Protocol):
    def limit_of(self, model: str) -> int:
        """Return the most characters of a result that a model should read."""
        ...

    async def shortened(self, result: ToolResult, context: ToolContext) -> str:
        """Return the text of a result that is longer than that, cut, and keep the whole of it."""
        ...


@dataclass(frozen=True, slots=True)
class CallRunner:
    tools: Mapping[str, Tool]
    gate: CallGate
    # Removes known secrets from a result, whichever tool returned it.
    redact: Callable[[str], str]
    long_results: LongResults
    pictures: ResultPictures = NOT_KEPT
    # What the turn of the calls may call.
    offered: TurnTools = field(default_factory=TurnTools)

    async def run(self, turn: Turn, step: int, calls: Sequence[OpenCall]) -> AsyncGenerator[CallFinished, None]:
        """Run the calls concurrently and yield each as it finishes. Closing the generator cancels the others."""
        jobs = [asyncio.create_task(self._finish(turn, step, call)) for call in calls]
        try:
            for next_finished in asyncio.as_completed(jobs):
                yield await next_finished
        finally:
            for job in jobs:
                job.cancel()
            await asyncio.gather(*jobs, return_exceptions=True)

    async def rerun(self, turn: Turn, step: int, calls: Sequence[OpenCall]) -> AsyncGenerator[CallFinished, None]:
        """After a crash, run again the calls that are safe to repeat. Report the others as interrupted: the model has
        to check whether they took effect.
        """
        again = [open_call for open_call in calls if await self._may_rerun(turn, step, open_call)]
        for open_call in calls:
            if open_call not in again:
                yield CallFinished(step, open_call.index, open_call.call, INTERRUPTED, 0.0, is_error=True)
        async with aclosing(self.run(turn, step, again)) as results:
            async for finished in results:
                yield finished

    async def _may_rerun(self, turn: Turn, step: int, open_call: OpenCall) -> bool:
        """Return true also for a call that cannot run: it gets the same error as before the crash."""
        call = open_call.call
        tool = self.tools.get(call.name)
        arguments = _arguments_of(call)
        if tool is None or arguments is None:
            return True
        context = self._context(turn, step, open_call)
        # A call whose question is still open has done nothing yet.
        return await tool.may_rerun(arguments, context) or await self.gate.is_waiting(context)

    async def _finish(self, turn: Turn, step: int, open_call: OpenCall) -> CallFinished:
        call = open_call.call
        context = self._context(turn, step, open_call)
        started = time.monotonic()
        result = await self._result_of(call, context)
        seconds = round(time.monotonic() - started, 3)
        text = self.redact(result.text)
        if len(text) > context.result_limit:
            text = await self.long_results.shortened(replace(result, text=text), context)
        return CallFinished(
            step,
            open_call.index,
            call,
            text,
            seconds,
            result.consumes,
            result.is_error,
            changes=tuple(replace(change, diff=self.redact(change.diff)) for change in result.changes),
            images=await self.pictures.kept(result.pictures, context),
            shows=result.shows,
        )

    def _context(self, turn: Turn, step: int, open_call: OpenCall) -> ToolContext:
        limit = self.long_results.limit_of(turn.model)
        return ToolContext(turn, step, open_call.index, open_call.call.id, limit, self.offered)

    async def _result_of(self, call: ToolCall, context: ToolContext) -> ToolResult:
        tool = self.tools.get(call.name)
        if tool is None:
            known = ", ".join(sorted(self.tools)) or "none"
            return ToolResult.failed("unknown_tool", f"There is no tool {call.name!r}; the tools are: {known}.")
        arguments = _arguments_of(call)
        if arguments is None:
            sentence = f"The arguments of {call.name} are not a JSON object: {call.arguments[:200]!r}."
            return ToolResult.failed("invalid_arguments", sentence)
        try:
            return await self.gate.run(tool, arguments, context)
        except Exception as error:  # A broken tool must not end the turn: the model can try something else.
            logger.exception("tool %s broke in turn %s", call.name, context.turn.id)
            return ToolResult.failed("tool_broke", f"{call.name} broke: {type(error).__name__}: {error}.")


def _arguments_of(call: ToolCall) -> dict[str, Any] | None:
    """Return None if the arguments are not a JSON object."""
    # Some models send an empty text for a call without arguments.
    try:
        arguments = orjson.loads(call.arguments or "{}")
    except orjson.JSONDecodeError:
        return None
    return arguments if isinstance(arguments, dict) else None
