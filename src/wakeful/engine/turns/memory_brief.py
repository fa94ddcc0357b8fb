"""What the loop is told of a turn that lives in memory: it is always new, and no inbox leads to it."""

from collections.abc import Sequence

from wakeful.model.journal.fact import Brief
from wakeful.model.journal.message import Message
from wakeful.model.turn import Turn


def memory_brief(turn: Turn, messages: Sequence[Message]) -> Brief:
    return Brief(
        turn=turn,
        messages=messages,
        last_step=0,
        open_calls=(),
        waits_for_client=False,
        is_answered=False,
        output_tokens=0,
        take_inputs=_nothing,
    )


async def _nothing(step: int, index: int) -> Sequence[Message]:
    return ()
