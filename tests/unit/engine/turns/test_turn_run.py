"""How a run of the loop ends."""

from collections.abc import AsyncGenerator

import pytest

from wakeful.engine.turns.turn_run import run_to_end
from wakeful.model.journal.fact import Fact, TextDelta


async def test_a_time_limit_of_something_else_is_not_that_of_the_turn() -> None:
    async def run() -> AsyncGenerator[Fact, None]:
        yield TextDelta(1, "Hi")
        raise TimeoutError("the tool took too long")

    async def record(fact: Fact) -> None: ...

    with pytest.raises(TimeoutError, match="the tool took too long"):
        await run_to_end(run(), record, 60.0)
