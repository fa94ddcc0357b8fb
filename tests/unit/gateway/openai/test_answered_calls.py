"""The outputs that clients send: in which conversation the call of one may stand."""

from typing import Any

import orjson
import pytest

from tests.unit.gateway.openai.served import ServedApi
from tests.unit.gateway.openai.test_lane_turns import Talk
from wakeful.gateway.openai.errors import ApiError
from wakeful.gateway.openai.lanes.answered_calls import require_calls
from wakeful.gateway.openai.lanes.lane import ApiLane
from wakeful.model.journal.entry import Entry, EntryKind, summary_entry
from wakeful.model.journal.message import Usage
from wakeful.model.journal.summary import CompactionReason, Summary
from wakeful.model.session import Address, Session
from wakeful.model.turn import Turn, TurnStatus

CALL = {"id": "c1", "name": "f", "arguments": "{}"}
CALLED: dict[str, Any] = {"text": "", "reasoning": "", "calls": [CALL], "usage": {}}
UNKNOWN = (400, "call_not_found", "input")
OUTPUT = {"role": "tool", "call_id": "c1", "text": "done"}


@pytest.fixture
def talk(served_api: ServedApi) -> Talk:
    return Talk(served_api)


def a_call_in(talk: Talk, status: TurnStatus = TurnStatus.DONE) -> Turn:
    """Return a turn that ended so, after the call c1."""
    turn = talk.begin("response")
    entry = Entry(turn.id, 1, 0, EntryKind.ANSWER, orjson.dumps(CALLED))
    talk.served.runner.run(talk.served.store.write(lambda tx: tx.journal.add([entry]), lock=[talk.id]))
    return talk.end(turn, status)


def refusal_of(talk: Talk, lane: ApiLane) -> tuple[int, str, str | None] | None:
    """Return why the output of c1 is refused there, or None."""
    try:
        talk.served.runner.run(require_calls(talk.served.store, lane, [OUTPUT], "input"))
    except ApiError as refusal:
        return refusal.status, refusal.code, refusal.param
    return None


def test_a_call_of_the_conversation_may_be_answered(talk: Talk) -> None:
    assert refusal_of(talk, ApiLane(talk.id)) == UNKNOWN
    a_call_in(talk)
    assert refusal_of(talk, ApiLane(talk.id)) is None


def test_a_call_of_another_conversation_may_not(talk: Talk) -> None:
    a_call_in(talk)
    other = Talk(talk.served)

    assert refusal_of(other, ApiLane(other.id)) == UNKNOWN


def test_a_call_of_a_turn_that_was_stopped_counts_where_the_next_turn_follows_it(talk: Talk) -> None:
    a_call_in(talk, TurnStatus.CANCELLED)

    assert refusal_of(talk, ApiLane(talk.id)) == UNKNOWN
    assert refusal_of(talk, ApiLane(talk.id, from_checkpoint=False)) is None


def test_a_response_that_is_continued_has_its_calls_answered_in_a_session_that_is_made_for_it(talk: Talk) -> None:
    turn = a_call_in(talk)
    made = Session("ses_new", "alice", Address("api_server"), head=turn.id, checkpoint=turn.id)

    assert refusal_of(talk, ApiLane(made.id, made)) is None


def test_a_call_that_was_summed_up_may_still_be_answered(talk: Talk) -> None:
    a_call_in(talk)
    turn = talk.begin("response")
    short = Summary("short", "", (), (), (), CompactionReason.AUTO, 1_000, 50, "m", Usage())
    summary = summary_entry(turn.id, 1, short)
    talk.served.runner.run(talk.served.store.write(lambda tx: tx.journal.add([summary]), lock=[talk.id]))
    talk.end(turn)

    assert refusal_of(talk, ApiLane(talk.id)) is None
