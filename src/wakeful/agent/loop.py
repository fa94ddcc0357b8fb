"""The agent loop: ask the model, run the tools it calls, take new messages from the inbox, repeat. A context that gets
too long for the model is summed up in between. The loop yields facts and stores nothing.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from wakeful.agent.calls import CallGate, CallRunner, LongResults
from wakeful.agent.compaction.compactor import Compactor
from wakeful.agent.compaction.estimate import frame_tokens
from wakeful.agent.compaction.summariser import Summariser
from wakeful.agent.model_line import ModelLine, RestingModels
from wakeful.agent.model_tries import EMPTY_ANSWER, ModelTries
from wakeful.agent.models.window import LearntWindows, Windows
from wakeful.agent.progress import Progress, client_calls_in
from wakeful.agent.prompt import INSTRUCTIONS
from wakeful.agent.providers.base import AnswerReasoning, AnswerText, Finished, ModelRequest, Provider
from wakeful.agent.settings import AgentSettings
from wakeful.errors import ConfigError, LimitReached, ModelError
from wakeful.model.journal.fact import (
    Answered,
    Brief,
    CallFinished,
    Fact,
    OpenCall,
    ReasoningDelta,
    StepAbandoned,
    TextDelta,
)
from wakeful.model.journal.message import AssistantMessage, ToolCall, Usage
from wakeful.model.journal.summary import CompactionReason
from wakeful.model.request import COMPACT, TurnRequest
from wakeful.model.turn import Turn
from wakeful.tools.base import Tool, ToolSpec

# From `provider:model` to the provider and the model's name there.
FindModel = Callable[[str], tuple[Provider, str]]
RunCalls = Callable[[Turn, int, Sequence[OpenCall]], AsyncGenerator[CallFinished, None]]


class Loop:
    def __init__(
        self,
        find_model: FindModel,
        tools: Sequence[Tool],
        gate: CallGate,
        settings: AgentSettings,
        long_results: LongResults,
        redact: Callable[[str], str] = lambda text: text,
        count_error: Callable[[str], None] = lambda code: None,
        windows: Windows | None = None,
        cost_of: Callable[[str, Usage], float | None] = lambda model, usage: None,
    ) -> None:
        """`redact` removes known secrets from tool results; `count_error` gets the code of each model error; `windows`
        knows how much models can read; `cost_of` returns what an answer of a model has cost in USD, None if that is
        unknown.
        """
        self._find_model = find_model
        self._specs = [tool.spec for tool in tools]
        self._calls = CallRunner({tool.spec.name: tool for tool in tools}, gate, redact, long_results)
        self._settings = settings
        self._count_error = count_error
        self._cost_of = cost_of
        self._resting = RestingModels()
        self._windows = windows = windows or LearntWindows()
        summariser = Summariser(find_model, windows, settings, count_error)
        self._compactor = Compactor(summariser, windows, settings, cost_of)

    async def run(self, brief: Brief) -> AsyncGenerator[Fact, None]:
        if brief.is_answered:
            return
        models = ModelLine([brief.turn.model, *self._settings.fallback_models], self._resting)
        progress = Progress.of(brief, models)
        progress.frame = frame_tokens(_instructions(progress.request), self._tools_for(progress.request))
        if progress.request.kind == COMPACT:
            async with aclosing(self._sum_up(progress)) as facts:
                async for fact in facts:
                    yield fact
            return
        if brief.open_calls:
            async with aclosing(self._carry_on(progress)) as facts:
                async for fact in facts:
                    yield fact
        if brief.waits_for_client:
            return
        while True:
            async with aclosing(self._step(progress)) as facts:
                async for fact in facts:
                    yield fact
            if not progress.calls or progress.waits_for_client:
                return
            progress.messages += await brief.take_inputs(progress.step, progress.call_count + 1)

    async def _carry_on(self, progress: Progress) -> AsyncGenerator[Fact, None]:
        progress.note_recorded_answer()
        async with aclosing(self._answer_calls(progress, progress.brief.open_calls, self._calls.rerun)) as results:
            async for finished in results:
                yield finished

    async def _sum_up(self, progress: Progress) -> AsyncGenerator[Fact, None]:
        """Do what a user wants who has the conversation summed up, unless it was recorded before a crash."""
        if progress.summaries:
            return
        focus = progress.request.instructions
        async with aclosing(self._compactor.compact(progress, CompactionReason.MANUAL, focus)) as facts:
            async for fact in facts:
                yield fact

    async def _step(self, progress: Progress) -> AsyncGenerator[Fact, None]:
        async with aclosing(self._ask_in_window(progress)) as facts:
            async for fact in facts:
                if isinstance(fact, Answered):
                    progress.note_answer(fact)
                yield fact
        async with aclosing(self._answer_calls(progress, progress.calls, self._calls.run)) as results:
            async for finished in results:
                yield finished

    async def _answer_calls(
        self, progress: Progress, calls: Sequence[OpenCall], run: RunCalls
    ) -> AsyncGenerator[CallFinished, None]:
        """Yield the results of the newest answer's calls: refused ones first, the others as `run` finishes them."""
        for call in calls:
            if (refusal := progress.refusals.get(call.index)) is not None:
                refused = CallFinished(progress.step, call.index, call.call, refusal, 0.0, is_error=True)
                progress.note_result(refused)
                yield refused
        allowed = [call for call in calls if call.index not in progress.refusals]
        async with aclosing(run(progress.brief.turn, progress.step, allowed)) as results:
            async for finished in results:
                progress.note_result(finished)
                yield finished
        progress.settle_results()

    async def _ask_in_window(self, progress: Progress) -> AsyncGenerator[Fact, None]:
        """Yield one answer of the model. Sum the conversation up before it gets too long for the model, and when the
        endpoint says that it is.
        """
        reason = CompactionReason.AUTO if self._compactor.is_due(progress) else None
        while True:
            if reason is not None:
                async with aclosing(self._compact(progress, reason)) as facts:
                    async for fact in facts:
                        yield fact
            has_streamed = False
            try:
                async with aclosing(self._ask(progress)) as facts:
                    async for fact in facts:
                        has_streamed = not isinstance(fact, StepAbandoned)
                        yield fact
                return
            except ModelError as error:
                self._compactor.learn_from(progress, error)
            if has_streamed:
                yield StepAbandoned(progress.step)
            progress.step -= 1
            reason = CompactionReason.OVERFLOW

    async def _compact(self, progress: Progress, reason: CompactionReason) -> AsyncGenerator[Fact, None]:
        await progress.brief.check_spend()
        async with aclosing(self._compactor.compact(progress, reason)) as facts:
            async for fact in facts:
                yield fact
        progress.messages += await progress.brief.take_inputs(progress.step, 1)

    async def _ask(self, progress: Progress) -> AsyncGenerator[Fact, None]:
        """Yield one answer of the turn's model, or of the next one where that fails."""
        progress.step += 1
        self._check_limits(progress)
        await progress.brief.check_spend()
        while True:
            has_streamed = False
            error = progress.models.absence
            if error is None:
                try:
                    async with aclosing(self._ask_current(progress)) as facts:
                        async for fact in facts:
                            has_streamed = not isinstance(fact, StepAbandoned)
                            yield fact
                    progress.models.note_answer()
                    return
                except ModelError as failure:
                    error = failure
            changed = progress.models.move_on(progress.step, error)
            if has_streamed:
                yield StepAbandoned(progress.step)
            yield changed

    async def _ask_current(self, progress: Progress) -> AsyncGenerator[Fact, None]:
        """Yield one answer of the current model; retry failures while that is safe and time is left."""
        tries = ModelTries(self._settings)
        while True:
            has_streamed = False
            try:
                async with aclosing(self._stream(progress)) as facts:
                    async for fact in facts:
                        has_streamed = True
                        yield fact
                return
            except ModelError as error:
                self._count_error(error.code)
                wait = tries.wait_after(error)
                if wait is None:
                    raise
            if has_streamed:
                yield StepAbandoned(progress.step)
            await asyncio.sleep(wait)

    async def _stream(self, progress: Progress) -> AsyncGenerator[Fact, None]:
        model = progress.models.current
        provider, name = self._provider_of(model)
        asked = progress.request
        options = asked.options if progress.calls_made == 0 else _without_force(asked.options)
        request = ModelRequest(
            name,
            _instructions(asked),
            progress.messages,
            self._tools_for(asked),
            options,
            session=progress.brief.turn.session_id,
            max_output=self._windows.max_output_of(model),
        )
        step = progress.step
        async with aclosing(provider.stream(request)) as parts:
            async for part in parts:
                match part:
                    case AnswerText():
                        yield TextDelta(step, part.text)
                    case AnswerReasoning():
                        yield ReasoningDelta(step, part.text)
                    case Finished():
                        _require_words(part.message)
                        message = _recorded(progress, part.message)
                        calls = client_calls_in(asked, message)
                        cost = self._cost_of(model, part.usage)
                        changes = progress.models.changes_in(step)
                        yield Answered(step, message, part.usage, part.is_cut, calls, model, cost, changes)
                        return
        raise ModelError("The model's answer broke off.", code="model_stream_broken", passing=True)

    def _tools_for(self, asked: TurnRequest) -> list[ToolSpec]:
        """Return the tools that the model may call. A tool of the client hides one of ours with the same name."""
        client = [ToolSpec(tool.name, tool.description, tool.parameters) for tool in asked.tools]
        taken = {tool.name for tool in client}
        own = [spec for spec in self._specs if spec.name not in taken] if asked.takes_server_tools else []
        return [spec for spec in own + client if asked.allows(spec.name)]

    def _provider_of(self, model: str) -> tuple[Provider, str]:
        try:
            return self._find_model(model)
        except ConfigError as error:
            # The operator's setting was checked at startup, so the request named this model.
            raise ModelError(str(error), code="model_not_found") from error

    def _check_limits(self, progress: Progress) -> None:
        limits = self._settings
        if progress.step - progress.summaries > limits.step_limit:
            raise LimitReached(
                f"The turn reached its limit of {limits.step_limit} model answers (WAKEFUL_STEP_LIMIT).",
                code="step_limit",
            )
        if progress.output_tokens > limits.token_limit:
            raise LimitReached(
                f"The turn reached its limit of {limits.token_limit} tokens (WAKEFUL_TOKEN_LIMIT).",
                code="token_limit",
            )


def _instructions(asked: TurnRequest) -> str:
    return f"{INSTRUCTIONS}\n{asked.instructions}" if asked.instructions else INSTRUCTIONS


def _without_force(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Drop `tool_choice` after the first call: a model that has to call a tool every time never gets to its answer."""
    return {name: value for name, value in options.items() if name != "tool_choice"}


def _require_words(message: AssistantMessage) -> None:
    """Raise ModelError for an answer without calls whose text is empty or blank, even if it has reasoning."""
    if not message.calls and not message.text.strip():
        sentence = "The model answered nothing, twice in a row; say it differently or choose another model."
        raise ModelError(sentence, code=EMPTY_ANSWER)


def _recorded(progress: Progress, message: AssistantMessage) -> AssistantMessage:
    """Return the answer as it is recorded. Missing and repeated call ids, which some endpoints send, are replaced: ids
    must be unique in the conversation.
    """
    taken = {call.id for known in progress.messages if isinstance(known, AssistantMessage) for call in known.calls}
    calls: list[ToolCall] = []
    for index, call in enumerate(message.calls, start=1):
        if not call.id or call.id in taken:
            call = replace(call, id=f"call_{progress.brief.turn.id}_{progress.step}_{index}")
        taken.add(call.id)
        calls.append(call)
    return replace(message, calls=tuple(calls), origin=progress.origin(0))
