"""Gets one answer for a turn from its model. A failed request is tried again; then the fallback models are asked."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

from wakeful.agent.compaction.estimate import frame_tokens
from wakeful.agent.fitting_calls import fitting_calls
from wakeful.agent.model_tries import EMPTY_ANSWER, ModelTries
from wakeful.agent.models.window import Windows
from wakeful.agent.pictures import Illustrator
from wakeful.agent.progress import Progress, client_calls_in
from wakeful.agent.providers.base import (
    AnswerReasoning,
    AnswerText,
    FindModel,
    Finished,
    ModelRequest,
    Provider,
    SpoiltAnswer,
)
from wakeful.agent.settings import AgentSettings
from wakeful.errors import ConfigError, LimitReached, ModelError
from wakeful.model.api.request import COMPACT
from wakeful.model.journal.fact import Answered, Fact, ReasoningDelta, StepAbandoned, TextDelta, Wasted
from wakeful.model.journal.message import AssistantMessage, Usage
from wakeful.model.spend import Spend
from wakeful.tools.base import ToolSpec

_NOTHING = "The model answered nothing, twice in a row; say it differently or choose another model."


@dataclass(frozen=True, slots=True)
class Answerer:
    find_model: FindModel
    # The tools that all turns have.
    specs: Sequence[ToolSpec]
    settings: AgentSettings
    windows: Windows
    # Gets the code of each model error.
    count_error: Callable[[str], None]
    # Returns what an answer of a model has cost in USD, None if that is unknown.
    cost_of: Callable[[str, Usage], float | None]
    illustrator: Illustrator

    async def answer(self, progress: Progress) -> AsyncGenerator[Fact, None]:
        """Yield the next step of the turn. Raises ModelError when no model answers, and LimitReached."""
        progress.step += 1
        self._check_limits(progress)
        await progress.brief.check_spend()
        tries = ModelTries(self.settings)
        while True:
            has_streamed, wait = False, None
            error = progress.models.absence
            if error is None:
                try:
                    async with aclosing(self._stream(progress)) as facts:
                        async for fact in facts:
                            has_streamed |= not isinstance(fact, Wasted)
                            yield fact
                    progress.models.note_answer()
                    return
                except ModelError as failure:
                    self.count_error(failure.code)
                    error, wait = failure, tries.wait_after(failure)
            changed = progress.models.move_on(progress.step, error) if wait is None else None
            if has_streamed:
                yield StepAbandoned(progress.step)
            if changed is not None:
                tries = ModelTries(self.settings)
                yield changed
            await asyncio.sleep(wait or 0.0)

    def frame_of(self, progress: Progress) -> int:
        """Return the estimated tokens of the instructions and tools."""
        return frame_tokens(_instructions(progress), self._tools_for(progress))

    async def _stream(self, progress: Progress) -> AsyncGenerator[Fact, None]:
        provider, name = self._provider_of(progress.models.current)
        step = progress.step
        async with aclosing(provider.stream(await self._request(progress, name))) as parts:
            async for part in parts:
                match part:
                    case AnswerText():
                        yield TextDelta(step, part.text)
                    case AnswerReasoning():
                        yield ReasoningDelta(step, part.text)
                    case SpoiltAnswer():
                        yield self._wasted(progress, part.usage)
                    case Finished():
                        if not _has_use(part.message):
                            yield self._wasted(progress, part.usage)
                            raise ModelError(_NOTHING, code=EMPTY_ANSWER)
                        yield self._answered(progress, part)
                        return
        raise ModelError("The model's answer broke off.", code="model_stream_broken", passing=True)

    async def _request(self, progress: Progress, name: str) -> ModelRequest:
        asked = progress.request
        session_id = progress.brief.turn.session_id
        sees = self.windows.takes_pictures(progress.models.current)
        return ModelRequest(
            name,
            _instructions(progress),
            await self.illustrator.illustrated(progress.messages, session_id, sees=sees),
            self._tools_for(progress),
            asked.options if progress.calls_made == 0 else _without_force(asked.options),
            session=session_id,
            max_output=self.windows.max_output_of(progress.models.current),
        )

    def _answered(self, progress: Progress, finished: Finished) -> Answered:
        offered = {spec.name for spec in self._tools_for(progress)}
        fitting = fitting_calls(finished.message.calls, progress.messages, offered)
        message = replace(finished.message, calls=fitting, origin=progress.origin(0))
        calls = client_calls_in(progress.request, message)
        step, model, usage = progress.step, progress.models.current, finished.usage
        cost, changes = self.cost_of(model, usage), progress.models.changes_in(step)
        return Answered(step, message, usage, finished.is_cut, calls, model, cost, changes)

    def _wasted(self, progress: Progress, usage: Usage) -> Wasted:
        cost = self.cost_of(progress.models.current, usage)
        return Wasted(progress.step, Spend.of_answer(usage.input_tokens, usage.output_tokens, cost))

    def _tools_for(self, progress: Progress) -> list[ToolSpec]:
        """Return the tools that the model may call. A tool of the client hides one of ours with the same name."""
        asked = progress.request
        known = [*self.specs, *(tool.spec for tool in progress.toolset.tools)]
        client = [ToolSpec(tool.name, tool.description, tool.parameters) for tool in asked.tools]
        taken = {tool.name for tool in client}
        own = [spec for spec in known if spec.name not in taken] if asked.takes_server_tools else []
        return [spec for spec in own + client if asked.allows(spec.name)]

    def _provider_of(self, model: str) -> tuple[Provider, str]:
        try:
            return self.find_model(model)
        except ConfigError as error:
            # The operator's setting was checked at startup, so the request named this model.
            raise ModelError(str(error), code="model_not_found") from error

    def _check_limits(self, progress: Progress) -> None:
        limits = self.settings
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


def _instructions(progress: Progress) -> str:
    """Return the system prompt, a note on servers whose tools are missing, and the instructions of the client."""
    asked = progress.request
    # Those of a compaction are what its user wants to keep, for the summary alone.
    own = "" if asked.kind == COMPACT else asked.instructions
    return "\n".join(filter(None, (progress.brief.turn.system_prompt.text, progress.toolset.note, own)))


def _without_force(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Drop `tool_choice` after the first call: a model that has to call a tool every time never gets to its answer."""
    return {name: value for name, value in options.items() if name != "tool_choice"}


def _has_use(message: AssistantMessage) -> bool:
    """Return false for an answer without calls whose text is empty or blank, even if it has reasoning."""
    return bool(message.calls) or bool(message.text.strip())
