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
