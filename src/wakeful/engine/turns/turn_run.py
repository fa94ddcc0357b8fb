"""A run of the agent loop, from its first fact to how the turn has ended: the same for turns that are stored and for
those that are not.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

from wakeful.errors import LimitReached, TurnFailed
from wakeful.model.journal.fact import Answered, Fact
from wakeful.model.turn import Outcome, TurnStatus

_OUTPUT_LIMIT = "max_output_tokens"
_BROKE = Outcome(TurnStatus.FAILED, "internal_error", "Something broke inside the server; its log has the details.")

logger = logging.getLogger(__name__)


async def follow(
    run: AsyncGenerator[Fact, None], tell: Callable[[Fact], Awaitable[None]], seconds: float, *, is_cut: bool = False
) -> bool:
    """Tell what happens, to the end; whether the last answer was cut at the model's output limit. Raises LimitReached
    when it takes longer than so many seconds.
    """
    timeout = asyncio.timeout(seconds)
    try:
        async with timeout, aclosing(run) as facts:
            async for fact in facts:
                await tell(fact)
                is_cut = fact.is_cut if isinstance(fact, Answered) else is_cut
    except TimeoutError as error:
        if not timeout.expired():
            raise
        raise LimitReached(f"The turn took longer than {seconds:g} seconds.", code="time_limit") from error
    return is_cut


async def outcome_of(turn_id: str, run: Awaitable[bool], *, raises: tuple[type[Exception], ...] = ()) -> Outcome:
    """How the turn has ended: `run` says whether its last answer was cut. What is in `raises` is not its end."""
    try:
        is_cut = await run
    except TurnFailed as failure:
        return Outcome(TurnStatus.FAILED, failure.code, str(failure), passing=failure.passing)
    except raises:
        raise
    except Exception:  # The turn's own boundary: whatever broke, it ends and says so.
        logger.exception("turn %s broke", turn_id)
        return _BROKE
    return Outcome(TurnStatus.DONE, incomplete=_OUTPUT_LIMIT if is_cut else "")
