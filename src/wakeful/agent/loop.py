"""The agent loop: ask the model, run the tools it calls, look into the inbox, again. It tells facts and keeps none."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any

from wakeful.agent.calls import CallRunner
from wakeful.agent.model_tries import EMPTY_ANSWER, ModelTries
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
from wakeful.model.turn import Turn
from wakeful.tools.base import Tool, ToolSpec

_TOO_MANY_CALLS = failure_text(
    "too_many_calls", "Not run: the client allows no more calls of tools (max_tool_calls); answer with what you have."
)
_NOT_ALLOWED = failure_text(
    "tool_not_allowed", "Not run: the client does not allow this tool here (tool_choice); answer with what you have."
)

# The provider for `provider:model`, and the model's name there.
FindModel = Callable[[str], tuple[Provider, str]]
RunCalls = Callable[[Turn, int, Sequence[OpenCall]], AsyncGenerator[CallFinished, None]]


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
    # The calls of the newest answer: how many, which are ours to run, what to say instead of running one, by its index,
    # and their results so far.
    call_count: int = 0
    calls: list[OpenCall] = field(default_factory=list)
    refusals: dict[int, str] = field(default_factory=dict)
    waits_for_client: bool = False
    results: dict[int, ToolMessage] = field(default_factory=dict)

    def note_answer(self, answered: Answered) -> None:
        self.messages.append(answered.message)
        self._note_calls(answered.message, answered.client_calls)
        self.calls_made += len(self.calls)
        self.waits_for_client = bool(answered.client_calls)
        self.output_tokens += answered.usage.output_tokens

    def note_recorded_answer(self) -> None:
        """The newest answer was recorded before a crash, and its calls are counted already."""
        answer = next(known for known in reversed(self.messages) if isinstance(known, AssistantMessage))
        client_calls = _client_calls(self.request, answer)
        self.calls_made -= len(answer.calls) - len(client_calls)
        self._note_calls(answer, client_calls)
        self.calls_made += len(self.calls)

    def note_result(self, finished: CallFinished) -> None:
        self.results[finished.index] = ToolMessage(finished.call.id, finished.text)

    def settle_results(self) -> None:
        """Results are told as they come and read in the order of their calls."""
        self.messages += [self.results[index] for index in sorted(self.results)]
        self.results.clear()

    def _note_calls(self, answer: AssistantMessage, client_calls: Collection[int]) -> None:
        calls = enumerate(answer.calls, start=1)
        self.call_count = len(answer.calls)
        self.calls = [OpenCall(index, call) for index, call in calls if index not in client_calls]
        self.refusals = self._refused()

    def _refused(self) -> dict[int, str]:
        """Calls of the newest answer that its client does not allow."""
        limit = self.request.tool_call_limit
        left = len(self.calls) if limit is None else max(0, limit - self.calls_made)
        excess = {call.index: _TOO_MANY_CALLS for call in self.calls[left:]}
        return excess | {call.index: _NOT_ALLOWED for call in self.calls if not self.request.allows(call.call.name)}


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
        progress.note_recorded_answer()
        async with aclosing(self._answer_calls(progress, progress.brief.open_calls, self._calls.rerun)) as results:
            async for finished in results:
                yield finished

    async def _step(self, progress: _Progress) -> AsyncGenerator[Fact, None]:
        async with aclosing(self._ask(progress)) as facts:
            async for fact in facts:
                if isinstance(fact, Answered):
                    progress.note_answer(fact)
                yield fact
        async with aclosing(self._answer_calls(progress, progress.calls, self._calls.run)) as results:
            async for finished in results:
                yield finished

    async def _answer_calls(
        self, progress: _Progress, calls: Sequence[OpenCall], run: RunCalls
    ) -> AsyncGenerator[CallFinished, None]:
        """Results of calls of the newest answer: at once where one is refused, by `run` for the others."""
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

    async def _ask(self, progress: _Progress) -> AsyncGenerator[Fact, None]:
        """One answer of the model, tried again while that is safe and there is time."""
        progress.step += 1
        self._check_limits(progress)
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
                wait = tries.wait_after(error)
                if wait is None:
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
                        _require_words(part.message)
                        message = _with_own_call_ids(progress, part.message)
                        yield Answered(step, message, part.usage, part.is_cut, _client_calls(asked, message))
                        return
        raise ModelError("The model's answer broke off.", code="model_stream_broken", passing=True)

    def _tools_for(self, asked: TurnRequest) -> list[ToolSpec]:
        """A tool of the client takes the place of one of ours with the same name."""
        client = [ToolSpec(tool.name, tool.description, tool.parameters) for tool in asked.tools]
        taken = {tool.name for tool in client}
        own = [spec for spec in self._specs if spec.name not in taken] if asked.takes_server_tools else []
        return [spec for spec in own + client if asked.allows(spec.name)]

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
    return {name: value for name, value in options.items() if name != "tool_choice"}


def _require_words(message: AssistantMessage) -> None:
    """Thoughts alone are no answer, and neither are blanks."""
    if not message.calls and not message.text.strip():
        sentence = "The model answered nothing, twice in a row; say it differently or choose another model."
        raise ModelError(sentence, code=EMPTY_ANSWER)


def _client_calls(asked: TurnRequest, message: AssistantMessage) -> frozenset[int]:
    names = {tool.name for tool in asked.tools if asked.allows(tool.name)}
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
