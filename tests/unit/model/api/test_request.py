"""What a client asked of a turn, read back from its row."""

import orjson
import pytest

from wakeful.errors import RequestNotUnderstood
from wakeful.model.api.request import ClientTool, TurnRequest, request_as_far_as_known, request_from

ASKED = TurnRequest(
    kind="response",
    instructions="be brief",
    tools=(ClientTool("look", "looks", {"type": "object"}),),
    options={"temperature": 0.5},
    echo={"background": True},
    tool_items="mcp_call",
    allowed_tools=("look",),
)


def test_a_request_comes_back_as_it_was_stored() -> None:
    assert request_from(ASKED.dump()) == request_as_far_as_known(ASKED.dump()) == ASKED
    assert request_from(b"{}") == TurnRequest()


def test_of_a_request_of_tomorrow_everything_that_is_known_is_shown_and_nothing_is_done() -> None:
    stored = orjson.dumps(orjson.loads(ASKED.dump()) | {"of_tomorrow": 1, "options": 7})
    with pytest.raises(RequestNotUnderstood, match="send it again"):
        request_from(stored)
    known = request_as_far_as_known(stored)
    assert (known.kind, known.echo, known.options) == ("response", {"background": True}, {})


@pytest.mark.parametrize("stored", [b"", b"{", b"[]", b"null", b"\xff"])
def test_what_is_no_request_at_all_is_shown_as_an_empty_one(stored: bytes) -> None:
    assert request_as_far_as_known(stored) == TurnRequest()


@pytest.mark.parametrize(
    ("kind", "echo", "compacts"),
    [
        ("", {}, True),
        ("run", {}, True),
        ("response", {}, False),
        ("chat", {}, False),
        ("response", {"truncation": "auto"}, True),
        ("response", {"truncation": "disabled"}, False),
        ("chat", {"conversation": "conv_1"}, True),
    ],
)
def test_a_client_that_keeps_the_conversation_itself_is_told_that_it_is_too_long(
    kind: str, echo: dict[str, str], compacts: bool
) -> None:
    assert TurnRequest(kind, echo=echo).compacts == compacts


def test_only_the_client_of_a_run_can_answer_questions() -> None:
    kinds = ("", "response", "items", "chat", "run", "run_part", "compact")

    assert [kind for kind in kinds if TurnRequest(kind).can_ask] == ["run", "run_part"]


def test_a_request_that_is_limited_allows_no_more_than_before() -> None:
    limited = ASKED.limited_to(["look", "write"])

    assert limited.allowed_tools == ("look",)
    assert TurnRequest().limited_to(["write"]).allowed_tools == ("write",)
    assert ASKED.limited_to(None) == ASKED
    assert [ASKED.allows(name) for name in ("look", "write")] == [True, False]
    assert TurnRequest().allows("write")


def test_a_client_may_allow_no_calls_of_the_servers_tools() -> None:
    limits = [TurnRequest(echo=echo) for echo in ({}, {"max_tool_calls": 0}, {"max_tool_calls": 1})]

    assert [asked.takes_server_tools for asked in limits] == [True, False, True]
    assert [asked.tool_call_limit for asked in limits] == [None, 0, 1]


@pytest.mark.parametrize(
    "stored", [b'{"kind": "hologram"}', b'{"kind": 7}', b'{"echo": 5}', b'{"tools": [7]}', b"null"]
)
def test_a_request_that_is_not_understood_wholly_is_not_carried_out(stored: bytes) -> None:
    with pytest.raises(RequestNotUnderstood):
        request_from(stored)
