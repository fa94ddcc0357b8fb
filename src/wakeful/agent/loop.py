"""The agent loop: ask the model, run the tools it calls, take new messages from the inbox, repeat. A context that gets
too long for the model is summed up in between. The loop yields facts and stores nothing.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace

from wakeful.agent.answerer import Answerer
from wakeful.agent.calls import CallGate, CallRunner, LongResults
from wakeful.agent.compaction.compactor import Compactor
from wakeful.agent.compaction.summariser import Summariser
from wakeful.agent.model_line import ModelLine, RestingModels
from wakeful.agent.models.window import LearntWindows, Windows
from wakeful.agent.pictures import AttachedFiles, Illustrator, ResultPictures
from wakeful.agent.progress import Progress
from wakeful.agent.providers.base import FindModel
from wakeful.agent.settings import AgentSettings
from wakeful.errors import ModelError
from wakeful.model.api.request import COMPACT
from wakeful.model.journal.fact import Answered, Brief, CallFinished, Fact, OpenCall, StepAbandoned
from wakeful.model.journal.message import Usage
from wakeful.model.journal.summary import CompactionReason
from wakeful.model.turn import Turn
from wakeful.tools.base import Tool, Toolset

# Returns the tools that a turn has besides those of all turns.
ToolsetOf = Callable[[Turn], Awaitable[Toolset]]
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
        toolset_of: ToolsetOf | None = None,
        files: AttachedFiles | None = None,
    ) -> None:
        """`redact` removes known secrets from tool results; `count_error` gets the code of each model error; `windows`
        knows how much models can read; `cost_of` returns what an answer of a model has cost in USD, None if that is
        unknown; `toolset_of` returns further tools of a turn, the same ones each time;
        `files` are the attachments.
        """
        self._settings = settings
        self._toolset_of = toolset_of
        self._resting = RestingModels()
        self._tools = {name: tool for tool in tools for name in (*tool.spec.other_names, tool.spec.name)}
        self._calls = CallRunner(self._tools, gate, redact, long_results, ResultPictures(files))
        windows = windows or LearntWindows()
        specs = [tool.spec for tool in tools]
        illustrator = Illustrator(files)
        self._answerer = Answerer(find_model, specs, settings, windows, count_error, cost_of, illustrator)
        summariser = Summariser(find_model, windows, settings, count_error, cost_of)
        self._compactor = Compactor(summariser, windows, settings)

    async def run(self, brief: Brief) -> AsyncGenerator[Fact, None]:
        if brief.is_answered:
            return
        models = ModelLine([brief.turn.model, *self._settings.fallback_models], self._resting)
        progress = Progress.of(brief, models)
        progress.toolset = await self._toolset_for(progress)
        progress.frame = self._answerer.frame_of(progress)
        if progress.request.kind == COMPACT:
            async with aclosing(self._sum_up(progress)) as facts:
                async for fact in facts:
                    yield fact
            return
        if brief.open_calls:
            progress.note_recorded_answer()
            async with aclosing(
                self._answer_calls(progress, brief.open_calls, self._runner(progress).rerun)
            ) as results:
                async for finished in results:
                    yield finished
        if brief.waits_for_client:
            return
        while True:
            async with aclosing(self._step(progress)) as facts:
                async for fact in facts:
                    yield fact
            if not progress.calls or progress.waits_for_client:
                return
            progress.messages += await brief.take_inputs(progress.step, progress.call_count + 1)

    async def _sum_up(self, progress: Progress) -> AsyncGenerator[Fact, None]:
        """Compact the conversation as the user asked, unless the summary was recorded before a crash."""
        if progress.summaries:
            return
        await progress.brief.check_spend()
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
        async with aclosing(self._answer_calls(progress, progress.calls, self._runner(progress).run)) as results:
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
                async with aclosing(self._answerer.answer(progress)) as facts:
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

    async def _toolset_for(self, progress: Progress) -> Toolset:
        asked = progress.request
        if self._toolset_of is None or asked.kind == COMPACT or not asked.takes_server_tools:
            return Toolset()
        return await self._toolset_of(progress.brief.turn)

    def _runner(self, progress: Progress) -> CallRunner:
        tools = {tool.spec.name: tool for tool in progress.toolset.tools} | self._tools
        return replace(self._calls, tools=tools, offered=progress.offered({tool.spec.name for tool in tools.values()}))
