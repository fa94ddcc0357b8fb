"""Outputs that a client gives must be those of calls that were made: to any other there is nothing to say."""

from collections.abc import Sequence

from wakeful.gateway.openai.errors import invalid
from wakeful.gateway.openai.items.inputs import Input
from wakeful.gateway.openai.lanes.lane import ApiLane
from wakeful.model.journal import Entry, input_entry
from wakeful.model.message import AssistantMessage
from wakeful.model.transcript import fold
from wakeful.store.base import Store, Transaction

# No turn has this id.
_NEW = ""


async def require_calls(store: Store, lane: ApiLane, inputs: Sequence[Input], param: str) -> None:
    """Raises ApiError when there is an output of a call that nobody has made. A second output of a call is none:
    agent frameworks answer calls that the server has answered already, and the fold passes over it.
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
    made = {call.id for known in transcript.messages if isinstance(known, AssistantMessage) for call in known.calls}
    for stray in transcript.strays:
        if stray.turn_id == _NEW and stray.data["call_id"] not in made:
            message = f"There is no call {stray.data['call_id']!r} that this could be the output of."
            raise invalid(param, message, "call_not_found")
