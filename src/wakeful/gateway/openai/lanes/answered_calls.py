"""Checks that each call output that a client sends belongs to a call: a model cannot read any other."""

from collections.abc import Sequence

from wakeful.gateway.openai.errors import invalid
from wakeful.gateway.openai.items.inputs import Input
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

    async def body(tx: Transaction) -> list[Entry]:
        session = lane.new_session or await tx.sessions.get(lane.session_id)
        last = None if session is None else lane.grows_from(session)
        return [] if last is None else await tx.journal.of_chain(last)

    before = await store.read(body)
    said = [input_entry(_NEW, 0, index, given) for index, given in enumerate(inputs)]
    transcript = fold([*before, *said], _NEW)
    made = {call.id for entry in (*before, *said) for call in calls_in(entry)}
    for stray in transcript.strays:
        if stray.turn_id == _NEW and stray.data["call_id"] not in made:
            message = f"There is no call {stray.data['call_id']!r} for this output."
            raise invalid(param, message, "call_not_found")
