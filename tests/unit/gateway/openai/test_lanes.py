"""Where a request of the API enters: a session of its own, or that of a conversation."""

import pytest
from starlette.requests import Request

from tests.unit.gateway.openai.served import ServedApi
from wakeful.gateway.openai.errors import ApiError
from wakeful.gateway.openai.lanes.lane import ApiLane, Lanes


def lane_of(served_api: ServedApi, owner: str = "alice", *, conversation: str = "") -> ApiLane:
    request = Request({"type": "http", "headers": [], "state": {"principal": owner}})
    return served_api.runner.run(Lanes(served_api.api).find(request, "demo:model", conversation, ""))


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
