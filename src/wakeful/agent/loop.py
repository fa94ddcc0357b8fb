"""The agent loop: ask the model, run the tools it calls, look into the inbox, again. It tells facts and keeps none."""

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any

from wakeful.agent.calls import CallRunner
from wakeful.agent.prompt import INSTRUCTIONS
from wakeful.agent.providers.base import Finished, ModelRequest, Provider, ReasoningPart, TextPart
from wakeful.agent.settings import AgentSettings
from wakeful.errors import ConfigError, LimitReached, ModelError
from wakeful.model.fact import (
    Answered,
    Brief,
    CallFinished,
    Fact,
    OpenCall,
    ReasoningDelta,
    StepAbandoned,
    TextDelta,
)
from wakeful.model.failure import failure_text
from wakeful.model.message import AssistantMessage, Message, ToolCall, ToolMessage
from wakeful.model.request import TurnRequest, request_from
from wakeful.tools.base import Tool, ToolSpec

_TOO_MANY_CALLS = failure_text(
    "too_many_calls", "Not run: the client allows no more calls of tools (max_tool_calls); answer with what you have."
)

# The provider for `provider:model`, and the model's name there.
FindModel = Callable[[str], tuple[Provider, str]]


@dataclass(slots=True)
class _Progress:
    """Where a running turn stands."""

    brief: Brief
    # What the client asked of the turn beside its words.
    request: TurnRequest
    messages: list[Message]
    step: int
    output_tokens: int
    # Calls of our tools so far.
    calls_made: int = 0
    # The calls of the newest answer: how many, which are ours to run, which of those the client does not allow any
    # more, and their results so far.
    call_count: int = 0
    calls: list[OpenCall] = field(default_factory=list)
    excess: list[OpenCall] = field(default_factory=list)
    waits_for_client: bool = False
    results: dict[int, ToolMessage] = field(default_factory=dict)

    def note_answer(self, answered: Answered) -> None:
        self.messages.append(answered.message)
        calls = enumerate(answered.message.calls, start=1)
        self.call_count = len(answered.message.calls)
        self.calls = [OpenCall(index, call) for index, call in calls if index not in answered.client_calls]
        self.excess = self.calls[self._calls_left() :]
        self.calls_made += len(self.calls)
        self.waits_for_client = bool(answered.client_calls)
        self.output_tokens += answered.usage.output_tokens

    def note_result(self, finished: CallFinished) -> None:
        self.results[finished.index] = ToolMessage(finished.call.id, finished.text)

    def settle_results(self) -> None:
        """Results are told as they come and read in the order of their calls."""
        self.messages += [self.results[index] for index in sorted(self.results)]
        self.results.clear()

    def _calls_left(self) -> int:
        limit = self.request.tool_call_limit
        return len(self.calls) if limit is None else max(0, limit - self.calls_made)


class Loop:
    def __init__(
        self,
        find_model: FindModel,
        tools: Sequence[Tool],
        settings: AgentSettings,
        redact: Callable[[str], str] = lambda text: text,
    ) -> None:
        """`redact` takes known secrets out of what tools have found."""
        self._find_model = find_model
        self._specs = [tool.spec for tool in tools]
        self._calls = CallRunner({tool.spec.name: tool for tool in tools}, redact)
        self._settings = settings

    async def run(self, brief: Brief) -> AsyncGenerator[Fact, None]:
        if brief.is_answered:
            return
        request = request_from(brief.turn.request)
        progress = _Progress(
            brief, request, list(brief.messages), brief.last_step, brief.output_tokens, brief.calls_made
        )
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

    async def _carry_on(self, progress: _Progress) -> AsyncGenerator[Fact, None]:
        brief = progress.brief
        async with aclosing(self._calls.rerun(brief.turn, brief.last_step, brief.open_calls)) as results:
            async for finished in results:
                progress.note_result(finished)
                yield finished
        progress.settle_results()

    async def _step(self, progress: _Progress) -> AsyncGenerator[Fact, None]:
        async with aclosing(self._ask(progress)) as facts:
            async for fact in facts:
                if isinstance(fact, Answered):
                    progress.note_answer(fact)
                yield fact
        for call in progress.excess:
            finished = CallFinished(progress.step, call.index, call.call, _TOO_MANY_CALLS, 0.0, is_error=True)
            progress.note_result(finished)
            yield finished
        allowed = progress.calls[: len(progress.calls) - len(progress.excess)]
        async with aclosing(self._calls.run(progress.brief.turn, progress.step, allowed)) as results:
            async for finished in results:
                progress.note_result(finished)
                yield finished
        progress.settle_results()

    async def _ask(self, progress: _Progress) -> AsyncGenerator[Fact, None]:
        """One answer of the model, tried again while that is safe and there is time."""
        progress.step += 1
        self._check_limits(progress)
        deadline = time.monotonic() + self._settings.model_retry_seconds
        for attempt in range(1, self._settings.model_tries + 1):
            has_streamed = False
            try:
                async with aclosing(self._stream(progress)) as facts:
                    async for fact in facts:
                        has_streamed = True
                        yield fact
                return
            except ModelError as error:
                wait = max(_backoff(attempt), error.retry_after or 0.0)
                is_last = attempt == self._settings.model_tries or time.monotonic() + wait > deadline
                if is_last or not error.passing:
                    raise
            if has_streamed:
                yield StepAbandoned(progress.step)
            await asyncio.sleep(wait)

    async def _stream(self, progress: _Progress) -> AsyncGenerator[Fact, None]:
        provider, name = self._provider_of(progress.brief.turn.model)
        asked = progress.request
        instructions = f"{INSTRUCTIONS}\n{asked.instructions}" if asked.instructions else INSTRUCTIONS
        options = asked.options if progress.calls_made == 0 else _without_force(asked.options)
        request = ModelRequest(name, instructions, progress.messages, self._tools_for(asked), options)
        step = progress.step
        async with aclosing(provider.stream(request)) as parts:
            async for part in parts:
                match part:
                    case TextPart():
                        yield TextDelta(step, part.text)
                    case ReasoningPart():
                        yield ReasoningDelta(step, part.text)
                    case Finished():
                        message = _with_own_call_ids(progress, part.message)
                        yield Answered(step, message, part.usage, part.is_cut, _client_calls(asked, message))
                        return
        raise ModelError("The model's answer broke off.", code="model_stream_broken", passing=True)

    def _tools_for(self, asked: TurnRequest) -> list[ToolSpec]:
        """A tool of the client takes the place of one of ours with the same name."""
        client = [ToolSpec(tool.name, tool.description, tool.parameters) for tool in asked.tools]
        taken = {tool.name for tool in client}
        return [spec for spec in self._specs if spec.name not in taken] + client

    def _provider_of(self, model: str) -> tuple[Provider, str]:
        try:
            return self._find_model(model)
        except ConfigError as error:
            # Not the operator's setting, which was checked at the start, but what this message asked for.
            raise ModelError(str(error), code="model_not_found") from error

    def _check_limits(self, progress: _Progress) -> None:
        limits = self._settings
        if progress.step > limits.step_limit:
            raise LimitReached(
                f"The turn reached its limit of {limits.step_limit} model answers (WAKEFUL_STEP_LIMIT).",
                code="step_limit",
            )
        if progress.output_tokens > limits.token_limit:
            raise LimitReached(
                f"The turn reached its limit of {limits.token_limit} tokens (WAKEFUL_TOKEN_LIMIT).",
                code="token_limit",
            )


def _without_force(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """A model that must call a tool has done so once; if it had to each time, it would never come to its answer."""
    return options if options.get("tool_choice") == "none" else {k: v for k, v in options.items() if k != "tool_choice"}


def _client_calls(asked: TurnRequest, message: AssistantMessage) -> frozenset[int]:
    names = {tool.name for tool in asked.tools}
    return frozenset(index for index, call in enumerate(message.calls, start=1) if call.name in names)


def _with_own_call_ids(progress: _Progress, message: AssistantMessage) -> AssistantMessage:
    """Some endpoints repeat or omit call ids; the conversation needs each call to have one of its own."""
    taken = {call.id for known in progress.messages if isinstance(known, AssistantMessage) for call in known.calls}
    calls: list[ToolCall] = []
    for index, call in enumerate(message.calls, start=1):
        if not call.id or call.id in taken:
            call = replace(call, id=f"call_{progress.brief.turn.id}_{progress.step}_{index}")
        taken.add(call.id)
        calls.append(call)
    return replace(message, calls=tuple(calls))


def _backoff(attempt: int) -> float:
    return float(0.5 * 2 ** (attempt - 1) * random.uniform(0.75, 1.25))
