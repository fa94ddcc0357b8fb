"""One run of the agent loop and its outcome, for stored and unstored turns."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing

from wakeful.engine.ports import UnstoredWork
from wakeful.errors import LimitReached, TurnFailed
from wakeful.model.journal.fact import Answered, Brief, Fact
from wakeful.model.journal.message import Message
from wakeful.model.tasks.task import Task
from wakeful.model.turn import Outcome, Turn, TurnStatus

_OUTPUT_LIMIT = "max_output_tokens"
_BROKE = Outcome(TurnStatus.FAILED, "internal_error", "Something broke inside the server; its log has the details.")

logger = logging.getLogger(__name__)


async def run_to_end(
    run: AsyncGenerator[Fact, None], record: Callable[[Fact], Awaitable[None]], seconds: float, *, is_cut: bool = False
) -> bool:
    """Record every fact of the run, and return whether its last answer was cut at the model's output limit. Raises
    LimitReached when the run takes longer than `seconds`.
    """
    timeout = asyncio.timeout(seconds)
    try:
        async with timeout, aclosing(run) as facts:
            async for fact in facts:
                await record(fact)
                is_cut = fact.is_cut if isinstance(fact, Answered) else is_cut
    except TimeoutError as error:
        if not timeout.expired():
            raise
        raise LimitReached(f"The turn took longer than {seconds:g} seconds.", code="time_limit") from error
    return is_cut


async def turn_outcome(turn_id: str, run: Awaitable[bool], *, raises: tuple[type[Exception], ...] = ()) -> Outcome:
    """Await `run`, which returns whether the last answer was cut, and return the turn's outcome. Exceptions in `raises`
    are not outcomes, and are passed on.
    """
    try:
        is_cut = await run
    except TurnFailed as failure:
        return Outcome(TurnStatus.FAILED, failure.code, str(failure), passing=failure.passing)
    except raises:
        raise
    except Exception:  # A turn's boundary: any other error ends the turn as failed.
        logger.exception("turn %s failed unexpectedly", turn_id)
        return _BROKE
    return Outcome(TurnStatus.DONE, incomplete=_OUTPUT_LIMIT if is_cut else "")


def memory_brief(turn: Turn, messages: Sequence[Message], work: UnstoredWork | None = None) -> Brief:
    """Return the brief of a turn that lives in memory: it has recorded nothing yet, and no inbox feeds it. `work` has
    its processes.
    """

    async def running_work() -> Sequence[Task]:
        return () if work is None else await work.running_in(turn.id)

    return Brief(
        turn=turn,
        messages=messages,
        last_step=0,
        open_calls=(),
        waits_for_client=False,
        is_answered=False,
        output_tokens=0,
        take_inputs=_no_inputs,
        running_work=running_work,
    )


async def _no_inputs(step: int, index: int) -> Sequence[Message]:
    return ()
