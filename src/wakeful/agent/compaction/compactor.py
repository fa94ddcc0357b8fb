"""Compaction: a step that replaces the beginning of a context by a summary."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace

from wakeful.agent.compaction.material import both_ends
from wakeful.agent.compaction.plan import Plan, plan_for, problem_of, size_of
from wakeful.agent.compaction.summariser import Draft, Order, Summariser
from wakeful.agent.model_tries import OVERFLOW
from wakeful.agent.models.window import Windows
from wakeful.agent.progress import Progress
from wakeful.agent.settings import AgentSettings
from wakeful.errors import ModelError, TurnFailed
from wakeful.model.journal.fact import Compacted, CompactionFailed, CompactionStarted, Fact, Wasted
from wakeful.model.journal.summary import CompactionReason, Summary
from wakeful.model.spend import Spend
from wakeful.model.tasks.task import Task

_COMMAND = 300


@dataclass(frozen=True, slots=True)
class Compactor:
    summariser: Summariser
    windows: Windows
    settings: AgentSettings

    def is_due(self, progress: Progress) -> bool:
        """Return whether the context has nearly filled the model's window. Where it cannot be made to fit into a window
        that the endpoint has once named, the endpoint is asked: it may read more by now, or name its window again.
        """
        model = progress.models.available[0]
        window = self.windows.window_of(model)
        if window is None or not progress.request.compacts:
            return False
        if size_of(progress) <= window * self.settings.compact_at:
            return False
        plan = plan_for(progress, CompactionReason.AUTO, window=window, compact_at=self.settings.compact_at)
        return not (problem_of(plan, progress, window) and self.windows.forget_window(model))

    def learn_from(self, progress: Progress, error: ModelError) -> None:
        """Note what an overflow tells. Raises the error if it is another one, or if nothing may be summed up."""
        if error.code != OVERFLOW or not progress.request.compacts:
            raise error
        if error.window is not None:
            self.windows.learn_window(progress.models.current, error.window)

    async def compact(
        self, progress: Progress, reason: CompactionReason, focus: str = ""
    ) -> AsyncGenerator[Fact, None]:
        """Yield the facts of the compaction, and go on with the compacted messages. Raises TurnFailed."""
        progress.step += 1
        window = self.windows.window_of(progress.models.available[0])
        plan = plan_for(progress, reason, window=window, compact_at=self.settings.compact_at)
        yield CompactionStarted(progress.step, reason, plan.tokens)
        if problem := problem_of(plan, progress, window):
            yield CompactionFailed(progress.step, reason, plan.tokens, problem)
            raise TurnFailed(problem, code=OVERFLOW)
        # A longer one would leave no room for the conversation.
        wish = both_ends(focus, plan.words_limit // 4)
        order = Order(plan.replaced, plan.words_limit, plan.characters, wish)
        draft = await self.summariser.sum_up(progress.models.available, order)
        if draft.wasted != Spend():
            yield Wasted(progress.step, draft.wasted)
        work = await progress.brief.running_work()
        todo = tuple(item.line for item in await progress.brief.todo())
        summary = replace(self._summary(plan, draft, tuple(map(_line_of, work)), reason), todo=todo)
        summary = replace(summary, tokens_after=plan.tokens_with([*summary.messages(), *plan.kept]))
        yield Compacted(progress.step, summary)
        progress.note_summary(summary, plan.kept)

    def _summary(self, plan: Plan, draft: Draft, work: tuple[str, ...], reason: CompactionReason) -> Summary:
        return Summary(
            words=draft.words,
            keeps_from=plan.kept[0].origin if plan.kept else "",
            instructions=plan.instructions,
            said=plan.said(),
            work=work,
            reason=reason,
            tokens_before=plan.tokens,
            tokens_after=0,
            model=draft.model,
            usage=draft.usage,
            cost_usd=draft.cost_usd,
        )


def _line_of(task: Task) -> str:
    command = " ".join(task.command.split())
    return f"- {task.id} ({task.kind}): {command if len(command) <= _COMMAND else f'{command[:_COMMAND]} …'}"
