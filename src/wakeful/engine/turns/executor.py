"""Runs one turn from its last recorded step to its end. A start and a resume take the same path."""

import asyncio
from dataclasses import dataclass, replace
from functools import partial

from wakeful.engine.inbox.assignment import Assignment
from wakeful.engine.inbox.dispatcher import Dispatcher, require_session
from wakeful.engine.ports import AgentLoop
from wakeful.engine.settings import EngineSettings
from wakeful.engine.spend_guard import SpendGuard
from wakeful.engine.turns.history import History
from wakeful.engine.turns.prompt_keeper import KeptPrompt, PromptKeeper
from wakeful.engine.turns.recorder import Recorder
from wakeful.engine.turns.turn_run import run_to_end, turn_outcome
from wakeful.errors import LeaseLost, LimitReached, StoreError
from wakeful.model.journal.entry import input_message
from wakeful.model.journal.fact import (
    Answered,
    Brief,
    CallFinished,
    Compacted,
    CompactionFailed,
    CompactionStarted,
    Fact,
    ModelChanged,
    ReasoningDelta,
    StepAbandoned,
    TextDelta,
    Wasted,
)
from wakeful.model.journal.message import Message
from wakeful.model.journal.transcript import Transcript
from wakeful.model.opening import Step
from wakeful.model.tasks.task import Task
from wakeful.model.tools.todo import TodoItem, unpack_todo
from wakeful.model.turn import Outcome, Turn
from wakeful.store.base import Store, Transaction


class _Paused(Exception):
    """The node is stopping: the next node goes on with the turn."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a turn ended, and its last answer, which is written together with the end."""

    outcome: Outcome
    answer: Step | None


@dataclass(slots=True)
class Executor:
    store: Store
    dispatcher: Dispatcher
    settings: EngineSettings
    loop: AgentLoop
    prompts: PromptKeeper
    history: History
    spend: SpendGuard

    async def run(self, assignment: Assignment) -> Ending | None:
        """Run the turn and return its ending; None if it paused because the node is stopping.

        Raises LeaseLost when another node has the turn, StoreError when a step cannot be recorded.
        """
        recorder = Recorder(self.store, self.dispatcher, self.dispatcher.words, assignment)
        try:
            run = self._run_loop(assignment, recorder)
            outcome = await turn_outcome(assignment.turn.id, run, raises=(LeaseLost, StoreError, _Paused))
            await assignment.until_open()
            return Ending(outcome, recorder.last)
        except _Paused:
            return None
        finally:
            recorder.close()

    async def _run_loop(self, assignment: Assignment, recorder: Recorder) -> bool:
        if assignment.turn.resumes > self.settings.resume_limit:
            raise LimitReached(
                f"The turn was resumed {self.settings.resume_limit} times without getting any further.",
                code="resume_limit",
            )
        transcript, kept, tools = await asyncio.gather(
            self.history.of(assignment), self.prompts.begin(assignment), self._allowed_tools(assignment)
        )
        turn = replace(assignment.turn, system_prompt=kept.prompt)
        run = self.loop.run(self._brief(turn, transcript, recorder, tools))
        record = partial(self._record, assignment, recorder, kept)
        try:
            # The time limit starts here, not at the opening: hours without a server do not count.
            return await run_to_end(run, record, self.settings.turn_seconds, is_cut=transcript.is_cut)
        finally:
            kept.close()

    def _brief(self, turn: Turn, transcript: Transcript, recorder: Recorder, tools: tuple[str, ...] | None) -> Brief:
        return Brief(
            turn=turn,
            messages=transcript.messages,
            last_step=transcript.last_step,
            open_calls=transcript.open_calls,
            waits_for_client=transcript.waits_for_client,
            is_answered=transcript.is_answered,
            output_tokens=transcript.output_tokens,
            take_inputs=partial(self._take_inputs, recorder),
            calls_made=transcript.calls_made,
            measure=transcript.measure,
            summaries=transcript.summaries,
            vain_summaries=transcript.vain_summaries,
            tools=tools,
            running_work=partial(self._running_work, turn.session_id),
            todo=partial(self._todo, turn.session_id),
            check_spend=self.spend.check,
        )

    async def _take_inputs(self, recorder: Recorder, step: int, index: int) -> list[Message]:
        # Between two steps nothing is half done, so a stopping node leaves the turn to the next one here.
        if self.dispatcher.is_stopping:
            raise _Paused
        entries = await recorder.join(step, index)
        return [input_message(entry) for entry in entries]

    async def _allowed_tools(self, assignment: Assignment) -> tuple[str, ...] | None:
        """Return the tools that the session's delegation allows, in each of its turns; None: all of them."""
        if assignment.opened is not None:
            # A client is making this session now, so no delegation is above it.
            return None

        async def body(tx: Transaction) -> tuple[str, ...] | None:
            task_id = (await require_session(tx, assignment.turn.session_id)).task_id
            task = None if task_id is None else await tx.tasks.get(task_id)
            return None if task is None else task.allowed_tools

        return await self.store.read(body)

    async def _running_work(self, session_id: str) -> list[Task]:
        async def body(tx: Transaction) -> list[Task]:
            return await tx.tasks.running_in(session_id)

        return await self.store.read(body)

    async def _todo(self, session_id: str) -> list[TodoItem]:
        async def body(tx: Transaction) -> list[TodoItem]:
            return unpack_todo((await require_session(tx, session_id)).todo)

        return await self.store.read(body)

    async def _record(self, assignment: Assignment, recorder: Recorder, kept: KeptPrompt, fact: Fact) -> None:
        await assignment.until_open()
        await kept.until_stored()
        match fact:
            case TextDelta() | ReasoningDelta():
                await recorder.say(fact)
            case StepAbandoned():
                await recorder.abandon(fact)
            case ModelChanged():
                await recorder.change_model(fact)
            case Answered():
                await recorder.answer(fact)
            case Wasted():
                await recorder.waste(fact)
            case CallFinished():
                await recorder.result(fact)
            case CompactionStarted() | CompactionFailed():
                await recorder.compaction(fact)
            case Compacted():
                await recorder.summary(fact)
