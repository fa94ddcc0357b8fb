"""One turn, from its opening or from its last recorded step to its end. A resume is the same path as a start."""

import asyncio
import logging
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial

from wakeful.engine.assignment import Assignment
from wakeful.engine.dispatcher import Dispatcher
from wakeful.engine.history import History
from wakeful.engine.ports import AgentLoop
from wakeful.engine.recorder import Recorder
from wakeful.engine.settings import EngineSettings
from wakeful.errors import LeaseLost, LimitReached, StoreError, TurnFailed
from wakeful.model.fact import Answered, Brief, CallFinished, Fact, ReasoningDelta, StepAbandoned, TextDelta
from wakeful.model.journal import input_message
from wakeful.model.message import Message
from wakeful.model.opening import Step
from wakeful.model.transcript import Transcript
from wakeful.model.turn import Outcome, Turn, TurnStatus
from wakeful.store.base import Store

_OUTPUT_LIMIT = "max_output_tokens"

logger = logging.getLogger(__name__)


class _Paused(Exception):
    """The node is stopping: the turn goes on where it stands, on the next node."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a turn has ended, and its last answer, which is not written yet."""

    outcome: Outcome
    answer: Step | None


@dataclass(slots=True)
class Executor:
    store: Store
    dispatcher: Dispatcher
    settings: EngineSettings
    loop: AgentLoop
    history: History

    async def run(self, assignment: Assignment) -> Ending | None:
        """Run the turn to its end; None when it pauses because the node is stopping.

        Raises LeaseLost when the turn is no longer ours, StoreError when nothing can be recorded.
        """
        recorder = Recorder(self.store, self.dispatcher, self.dispatcher.words, assignment)
        try:
            outcome = await self._outcome_of(assignment, recorder)
            await assignment.until_open()
            return Ending(outcome, recorder.last)
        except _Paused:
            return None
        finally:
            recorder.close()

    async def _outcome_of(self, assignment: Assignment, recorder: Recorder) -> Outcome:
        try:
            if assignment.turn.resumes > self.settings.resume_limit:
                raise LimitReached(
                    f"The turn was resumed {self.settings.resume_limit} times without getting any further.",
                    code="resume_limit",
                )
            transcript = await self.history.of(assignment)
            brief = self._brief(assignment.turn, transcript, recorder)
            is_cut = await self._follow(assignment, brief, recorder, is_cut=transcript.is_cut)
        except TurnFailed as failure:
            return Outcome(TurnStatus.FAILED, failure.code, str(failure), passing=failure.passing)
        except (LeaseLost, StoreError, _Paused):
            raise
        except Exception:  # The turn's own boundary: whatever broke, the turn ends and says so.
            logger.exception("turn %s broke", assignment.turn.id)
            message = "Something broke inside the server; its log has the details."
            return Outcome(TurnStatus.FAILED, "internal_error", message)
        return Outcome(TurnStatus.DONE, incomplete=_OUTPUT_LIMIT if is_cut else "")

    def _brief(self, turn: Turn, transcript: Transcript, recorder: Recorder) -> Brief:
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
        )

    async def _take_inputs(self, recorder: Recorder, step: int, index: int) -> list[Message]:
        # Between two steps nothing is half done: the place to leave a turn to the next node.
        if self.dispatcher.is_stopping:
            raise _Paused
        entries = await recorder.join(step, index)
        return [input_message(entry) for entry in entries]

    async def _follow(self, assignment: Assignment, brief: Brief, recorder: Recorder, *, is_cut: bool) -> bool:
        """Record what happens, to the end; whether the last answer was cut at the model's output limit."""
        # From here, not from the opening: the hours in which no server was up are not the turn's fault.
        timeout = asyncio.timeout(self.settings.turn_seconds)
        try:
            async with timeout, aclosing(self.loop.run(brief)) as facts:
                async for fact in facts:
                    await assignment.until_open()
                    await self._record(fact, recorder)
                    is_cut = fact.is_cut if isinstance(fact, Answered) else is_cut
            return is_cut
        except TimeoutError as error:
            if not timeout.expired():
                raise
            raise LimitReached(
                f"The turn took longer than {self.settings.turn_seconds:g} seconds.", code="time_limit"
            ) from error

    async def _record(self, fact: Fact, recorder: Recorder) -> None:
        match fact:
            case TextDelta() | ReasoningDelta():
                await recorder.say(fact)
            case StepAbandoned():
                await recorder.abandon(fact)
            case Answered():
                await recorder.answer(fact)
            case CallFinished():
                await recorder.result(fact)
