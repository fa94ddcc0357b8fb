"""Checks that each call output that a client sends belongs to a call: a model cannot read any other."""

from collections.abc import Sequence

from wakeful.gateway.openai.errors import invalid
from wakeful.gateway.openai.items.inputs import Input
from wakeful.gateway.openai.lanes.entry import context_of
from wakeful.gateway.openai.lanes.lane import ApiLane
from wakeful.model.journal.entry import Entry, calls_in, input_entry
from wakeful.model.journal.transcript import fold
from wakeful.store.base import Store, Transaction

# Stands for the turn that the inputs are for, which has no id yet.
_NEW = ""


async def require_calls(store: Store, lane: ApiLane, inputs: Sequence[Input], param: str) -> None:
    """Raise ApiError for an output whose call is neither in the lane nor in the inputs. A second output of a call is
    fine: agent frameworks also answer calls that the server has answered, and the fold ignores those.
    """
    if not any(given.get("role") == "tool" for given in inputs):
        return
    said = [input_entry(_NEW, 0, index, given) for index, given in enumerate(inputs)]

    async def body(tx: Transaction) -> list[str]:
        session = lane.new_session or await tx.sessions.get(lane.session_id)
        last = None if session is None else lane.grows_from(session)
        strays = fold([*await context_of(tx, last), *said], _NEW).strays
        unknown = [str(stray.data["call_id"]) for stray in strays if stray.turn_id == _NEW]
        # Hardly any client sends some, so the whole conversation is hardly ever read.
        made = await _calls(tx, last, said) if unknown else ()
        return [call_id for call_id in unknown if call_id not in made]

    unknown = await store.read(body)
    if unknown:
        raise invalid(param, f"There is no call {unknown[0]!r} for this output.", "call_not_found")


async def _calls(tx: Transaction, last: str | None, said: Sequence[Entry]) -> set[str]:
    """Return the calls of the whole conversation, also of what was summed up."""
    before = [] if last is None else await tx.journal.of_chain(last)
    return {call.id for entry in (*before, *said) for call in calls_in(entry)}
