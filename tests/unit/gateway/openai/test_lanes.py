"""Where a request of the API enters: a session of its own, or that of a conversation."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

import pytest
from starlette.requests import Request

from tests.unit.gateway.openai.kit import done, log
from tests.unit.gateway.openai.served import Log, ServedApi
from wakeful.gateway.openai.api import response_id, turn_id_of
from wakeful.gateway.openai.errors import ApiError
from wakeful.gateway.openai.lanes.answered_calls import require_calls
from wakeful.gateway.openai.lanes.entry import require_idle
from wakeful.gateway.openai.lanes.key_gate import KeyGate
from wakeful.gateway.openai.lanes.lane import ApiLane, Lanes
from wakeful.gateway.openai.session_headers import SessionHeaders, model_in
from wakeful.model.event import NewEvent
from wakeful.model.ids import new_id
from wakeful.model.session import Address, Session
from wakeful.store.base import Transaction
from wakeful.wire.errors import InvalidRequest


def asked_by(owner: str, **headers: str) -> Request:
    given = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "headers": given, "state": {"principal": owner}})


def lane_of(served_api: ServedApi, owner: str = "alice", *, conversation: str = "", previous: str = "") -> ApiLane:
    lanes = Lanes(served_api.api)
    return served_api.runner.run(lanes.find(asked_by(owner), "demo:model", conversation, previous))


def write(served_api: ServedApi, body: Callable[[Transaction], Coroutine[Any, Any, Any]]) -> None:
    served_api.runner.run(served_api.store.write(body))


def delete(served_api: ServedApi, session_id: str) -> None:
    at = 5_000_000_000.0
    served_api.runner.run(served_api.store.write(lambda tx: tx.sessions.delete(session_id, at), lock=[session_id]))


def refusal_of(served_api: ServedApi, owner: str = "alice", **where: str) -> tuple[int, str]:
    with pytest.raises(ApiError) as refusal:
        lane_of(served_api, owner, **where)
    return refusal.value.status, refusal.value.code


def test_a_single_response_has_a_session_that_the_page_does_not_list(served_api: ServedApi) -> None:
    lane = lane_of(served_api)

    assert lane.new_session is not None
    assert (lane.new_session.owner, lane.new_session.is_listed, lane.new_session.head) == ("alice", False, None)
    assert not lane.is_kept


def test_a_new_name_is_a_conversation_whose_session_is_listed_under_it(served_api: ServedApi) -> None:
    lane = lane_of(served_api, conversation="plans")

    assert lane.new_session is not None
    assert lane.new_conversation is not None
    assert (lane.new_session.title, lane.new_session.is_listed) == ("plans", True)
    assert (lane.new_conversation.name, lane.new_conversation.owner) == ("plans", "alice")
    assert lane.new_conversation.session_id == lane.session_id == lane.new_session.id
    assert lane.is_kept


def test_a_conversation_is_of_the_one_who_made_it(served_api: ServedApi) -> None:
    made = served_api.runner.run(Lanes(served_api.api).create("alice", "demo:model", b"{}"))

    assert lane_of(served_api, conversation=made.id) == ApiLane(made.session_id, conversation_id=made.id)
    with pytest.raises(ApiError) as refusal:
        lane_of(served_api, "bob", conversation=made.id)
    assert refusal.value.code == "conversation_not_found"


def test_a_conversation_that_is_made_by_itself_is_listed_from_now_on(served_api: ServedApi) -> None:
    made = served_api.runner.run(Lanes(served_api.api).create("alice", "demo:model", b'{"a":"b"}'))
    session = served_api.runner.run(served_api.store.read(lambda tx: tx.sessions.get(made.session_id)))

    assert session is not None
    assert (session.title, session.is_listed, session.owner, session.model) == (
        "Conversation",
        True,
        "alice",
        "demo:model",
    )
    assert session.created_at == session.updated_at == made.created_at == 1_700_000_000.0
    assert (made.metadata, made.name) == (b'{"a":"b"}', "")


def test_the_operator_continues_what_any_principal_has_begun(served_api: ServedApi) -> None:
    made = served_api.runner.run(Lanes(served_api.api).create("alice", "demo:model", b"{}"))

    assert lane_of(served_api, "operator", conversation=made.id).session_id == made.session_id


def test_names_are_each_principals_own(served_api: ServedApi) -> None:
    hers = lane_of(served_api, conversation="shared name")
    assert hers.new_session is not None
    assert hers.new_conversation is not None
    session, conversation = hers.new_session, hers.new_conversation

    async def body(tx: Transaction) -> None:
        await tx.sessions.create_if_absent(session)
        await tx.conversations.create_if_absent(conversation)

    write(served_api, body)

    assert lane_of(served_api, conversation="shared name").session_id == hers.session_id
    assert lane_of(served_api, "bob", conversation="shared name").new_session is not None
    assert refusal_of(served_api, conversation="conv_none") == (404, "conversation_not_found")
    assert lane_of(served_api, conversation="a\0b").new_session is not None
    delete(served_api, hers.session_id)
    assert refusal_of(served_api, conversation="shared name") == (404, "conversation_not_found")


def a_response(served_api: ServedApi, *events: NewEvent, kind: str = "response") -> Log:
    turn = served_api.runner.run(Log.begin(served_api, kind))
    served_api.runner.run(turn.write(log(*events)))
    return turn


def test_a_response_is_continued_from_itself_in_a_session_of_its_own(served_api: ServedApi) -> None:
    turn = a_response(served_api, done()).turn

    lane = lane_of(served_api, previous=response_id(turn.id))

    assert lane.new_session is not None
    assert (lane.new_session.head, lane.new_session.checkpoint) == (turn.id, turn.id)
    assert lane.new_session.id != turn.session_id


@pytest.mark.parametrize(
    ("events", "kind", "owner", "refusal"),
    [
        ([done()], "response", "bob", (400, "previous_response_not_found")),
        ([done()], "run", "alice", (400, "previous_response_not_found")),
        ([], "response", "alice", (409, "previous_response_not_completed")),
        ([done("max_output_tokens")], "response", "alice", (409, "previous_response_not_completed")),
    ],
)
def test_only_a_whole_response_of_ones_own_is_continued(
    served_api: ServedApi, events: list[NewEvent], kind: str, owner: str, refusal: tuple[int, str]
) -> None:
    turn = a_response(served_api, *events, kind=kind).turn

    assert refusal_of(served_api, owner, previous=response_id(turn.id)) == refusal


def test_a_deleted_response_is_not_continued(served_api: ServedApi) -> None:
    hidden, gone = a_response(served_api, done()).turn, a_response(served_api, done()).turn
    write(served_api, lambda tx: tx.turns.hide(hidden.id))
    delete(served_api, gone.session_id)

    for turn in (hidden, gone):
        previous = response_id(turn.id)
        assert refusal_of(served_api, previous=previous) == (400, "previous_response_not_found")


@pytest.mark.parametrize("made_up", ["", "turn_1", "resp_a\0b"])
def test_what_is_no_id_of_a_response_names_no_turn(made_up: str) -> None:
    assert turn_id_of(made_up) == ""
    assert turn_id_of("resp_1") == "turn_1"


def test_a_lane_with_a_running_turn_takes_no_other_and_says_which_runs(served_api: ServedApi) -> None:
    before = a_response(served_api, done()).turn
    running = a_response(served_api).turn
    mine, conversation = ApiLane(running.session_id), ApiLane(running.session_id, conversation_id="conv_1")

    with pytest.raises(ApiError, match="Another turn of this session is running") as refusal:
        write(served_api, lambda tx: require_idle(mine, tx))
    with pytest.raises(ApiError, match="last response has not completed"):
        write(served_api, lambda tx: require_idle(conversation, tx))

    assert (refusal.value.status, refusal.value.headers) == (409, {"x-should-retry": "false"})
    assert refusal.value.details == {
        "latest_completed_response_id": None,
        "active_response_id": response_id(running.id),
    }
    write(served_api, lambda tx: require_idle(ApiLane(before.session_id), tx))
    write(served_api, lambda tx: require_idle(replace(mine, new_session=Session("s", "alice", Address("x"))), tx))


def header_lane(served_api: ServedApi, owner: str = "alice", **headers: str) -> ApiLane:
    session_headers = SessionHeaders(served_api.api, Lanes(served_api.api))
    return served_api.runner.run(session_headers.lane(asked_by(owner, **headers), "demo:model"))


def a_session(served_api: ServedApi, platform: str = "api_server", task_id: str | None = None) -> Session:
    made = Session(new_id("ses"), "alice", Address(platform), "demo:own", "/", task_id=task_id)
    write(served_api, lambda tx: tx.sessions.create_if_absent(made))
    return made


def test_a_session_is_named_by_its_id_or_a_key(served_api: ServedApi) -> None:
    mine, page = a_session(served_api), a_session(served_api, "web")

    assert header_lane(served_api, x_hermes_session_id=mine.id, x_hermes_session_key="k") == ApiLane(mine.id)
    assert header_lane(served_api, x_hermes_session_id=page.id) == ApiLane(
        page.id, from_checkpoint=False, model="demo:own"
    )
    named = header_lane(served_api, x_hermes_session_key="kitchen")
    assert named.new_conversation is not None
    assert named.new_conversation.name == "kitchen"
    assert header_lane(served_api).new_conversation is None


def test_a_session_of_another_principal_of_a_sub_agent_or_deleted_is_none(served_api: ServedApi) -> None:
    mine, part = a_session(served_api), a_session(served_api, task_id="task_1")
    gone = a_session(served_api)
    delete(served_api, gone.id)

    for owner, session_id in (("bob", mine.id), ("alice", part.id), ("alice", gone.id), ("alice", "ses_none")):
        with pytest.raises(ApiError) as refusal:
            header_lane(served_api, owner, x_hermes_session_id=session_id)
        assert (refusal.value.status, refusal.value.code) == (404, "session_not_found")
    assert header_lane(served_api, "operator", x_hermes_session_id=mine.id).session_id == mine.id


def test_a_name_of_a_session_has_at_most_256_characters_and_no_nul(served_api: ServedApi) -> None:
    assert header_lane(served_api, x_hermes_session_key="k" * 256).new_conversation is not None
    for unfit in ("k" * 257, "a\0b"):
        with pytest.raises(InvalidRequest):
            header_lane(served_api, x_hermes_session_key=unfit)
        with pytest.raises(InvalidRequest):
            header_lane(served_api, x_hermes_session_id=unfit)


@pytest.mark.parametrize(
    ("own", "asked", "model"),
    [("", "", "found"), ("own", "", "own"), ("own", "wakeful", "own"), ("own", "other", "found")],
)
def test_the_model_of_a_session_answers_unless_another_is_asked_for(own: str, asked: str, model: str) -> None:
    assert model_in(ApiLane("s", model=own), asked, "found") == model


def test_an_output_needs_its_call(served_api: ServedApi) -> None:
    lane = ApiLane("ses_none")
    call = {"role": "assistant", "text": "", "calls": [{"id": "c", "name": "f", "arguments": "{}"}]}
    output = {"role": "tool", "call_id": "c", "text": "done"}

    def check(*inputs: Any) -> None:
        served_api.runner.run(require_calls(served_api.store, lane, inputs, "input"))

    check(call, output)
    check({"role": "user", "text": "x"}, call, output, output)
    for inputs in ([output], [{"role": "user", "text": "x"}, output]):
        with pytest.raises(ApiError, match="no call 'c'") as refusal:
            check(*inputs)
        assert refusal.value.code == "call_not_found"


async def test_requests_with_one_key_enter_one_after_another_and_others_beside_them() -> None:
    gate, steps = KeyGate(), []

    async def enter(owner: str, key: str) -> None:
        async with gate.passing(owner, key):
            steps.append(("in", owner, key))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            steps.append(("out", owner, key))

    await asyncio.gather(enter("alice", "k"), enter("alice", "k"), enter("bob", "k"), enter("alice", "l"))

    assert [step for step, owner, key in steps if (owner, key) == ("alice", "k")] == ["in", "out", "in", "out"]
    assert [step for step, *_ in steps[:3]] == ["in"] * 3


@pytest.mark.parametrize(("sent", "name"), [("Küche".encode(), "Küche"), (b"K\xfcche", "Küche"), (b"plain", "plain")])
def test_a_name_in_a_header_is_read_as_utf_8_or_else_as_it_is(served_api: ServedApi, sent: bytes, name: str) -> None:
    request = Request({"type": "http", "headers": [(b"x-hermes-session-key", sent)], "state": {"principal": "alice"}})
    lane = served_api.runner.run(SessionHeaders(served_api.api, Lanes(served_api.api)).lane(request, "demo:model"))

    assert lane.new_conversation is not None
    assert lane.new_conversation.name == name
