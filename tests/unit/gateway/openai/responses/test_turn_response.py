"""What a turn shows as a response before its first event."""

from dataclasses import replace
from typing import Any

import pytest

from tests.store.nouns import a_turn
from tests.unit.gateway.openai.kit import fold, log, tool, types_of
from wakeful.gateway.openai.lanes.lane import ApiLane
from wakeful.gateway.openai.responses.response import ResponseObject
from wakeful.gateway.openai.responses.turn_response import in_conversation, response_of
from wakeful.model.api.request import TurnRequest
from wakeful.model.turn import Turn


def turn_of(request: TurnRequest, **changes: Any) -> Turn:
    return replace(a_turn("turn_1"), request=request.dump(), opened_at=5.9, model="demo:real", **changes)


def shown(echo: dict[str, Any], **changes: Any) -> ResponseObject:
    return response_of(turn_of(TurnRequest(kind="response", echo=echo), **changes)).response()


def test_a_response_shows_what_its_client_asked_for() -> None:
    echo = {"model": "wakeful", "previous_response_id": "resp_0", "conversation": {"id": "conv_1"}, "background": True}
    found = shown(echo)

    assert (found.id, found.model, found.created_at) == ("resp_1", "wakeful", 5)
    assert (found.previous_response_id, found.background, found.status) == ("resp_0", True, "queued")
    assert found.conversation is not None
    assert found.conversation.id == "conv_1"


def test_a_response_of_which_nothing_was_asked_shows_the_model_that_answers() -> None:
    found = shown({})

    assert (found.model, found.previous_response_id, found.conversation) == ("demo:real", None, None)
    assert (found.background, found.status) == (False, "in_progress")
    assert shown({"model": ""}).model == "demo:real"
    assert shown({"conversation": "a name"}).conversation is None, "only an id is shown"


@pytest.mark.parametrize("is_ephemeral", [True, False])
def test_a_response_that_is_kept_nowhere_says_so(is_ephemeral: bool) -> None:
    assert shown({}, is_ephemeral=is_ephemeral).store is not is_ephemeral


@pytest.mark.parametrize(
    ("lane", "conversation"), [(ApiLane("s"), None), (ApiLane("s", conversation_id="conv_1"), {"id": "conv_1"})]
)
def test_a_request_names_the_id_of_its_conversation(lane: ApiLane, conversation: Any) -> None:
    asked = in_conversation(TurnRequest(kind="response", echo={"conversation": "plans", "user": "u"}), lane)

    assert asked.echo == {"conversation": conversation, "user": "u"}


@pytest.mark.parametrize(
    ("request_", "is_pair"),
    [
        (TurnRequest(kind="response", tool_items="mcp_call"), False),
        (TurnRequest(kind="response", tool_items="function_call"), True),
        (TurnRequest(kind="response"), True),
        (TurnRequest(), False),
    ],
    ids=["as items", "as pairs", "of an older version", "of another door"],
)
def test_calls_of_the_server_are_shown_as_the_turn_has_chosen(request_: TurnRequest, is_pair: bool) -> None:
    frames = fold(log(tool("c1")), response_of(turn_of(request_)))

    assert any("function_call" in name for name in types_of(frames)) is is_pair
