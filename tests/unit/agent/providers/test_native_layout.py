"""The order in which an answer goes back to its provider, and the bodies of requests."""

from typing import Any

import orjson
import pytest

from wakeful.agent.providers.native_layout import Layout, NativeBlock, TextPiece, laid_out
from wakeful.agent.providers.request_json import encoded, json_object, with_options
from wakeful.model.journal.message import AssistantMessage, ToolCall

CALL = ToolCall("c1", "look", "{}")
THOUGHT = {"type": "thinking", "signature": "c2ln"}


def test_texts_calls_and_blocks_come_back_in_their_places() -> None:
    layout = Layout()
    layout.add_block(THOUGHT)
    layout.add_text(3)
    layout.add_call()
    layout.add_text(0, note="nothing")
    layout.add_text(4, note="cited")
    message = AssistantMessage("One.Two", calls=(CALL,), native=layout.native("claude", "anthropic"))

    pieces = list(laid_out(message, "claude", "anthropic"))

    assert pieces == [NativeBlock(THOUGHT), TextPiece("One"), CALL, TextPiece(".Two", {"note": "cited"})]
    assert list(laid_out(message, "other", "anthropic")) == [TextPiece("One.Two"), CALL]


@pytest.mark.parametrize(("extra", "is_plain"), [({}, True), ({"note": "cited"}, False)])
def test_an_answer_of_texts_and_calls_alone_needs_no_layout(extra: dict[str, str], is_plain: bool) -> None:
    layout = Layout()
    layout.add_text(3, **extra)
    layout.add_call()
    layout.add_text(3)

    assert (layout.native("claude", "anthropic") is None) is is_plain


@pytest.mark.parametrize(
    ("ours", "theirs", "joined"),
    [
        ({"a": 1}, {"a": 2}, {"a": 2}),
        ({"a": {"x": 1, "y": 1}}, {"a": {"y": 2}}, {"a": {"x": 1, "y": 2}}),
        ({"a": [1]}, {"a": [2]}, {"a": [1, 2]}),
        ({"a": [1]}, {"a": None}, {"a": None}),
        ({"a": {"x": 1}}, {"a": [2]}, {"a": [2]}),
        ({"a": 1}, {"b": {"x": 1}}, {"a": 1, "b": {"x": 1}}),
    ],
)
def test_the_operators_options_win_and_join_what_is_there(
    ours: dict[str, Any], theirs: dict[str, Any], joined: dict[str, Any]
) -> None:
    assert with_options(ours, theirs) == joined


def test_half_a_character_anywhere_in_a_body_is_mended() -> None:
    body = {"a\ud83d": ["b\ud83d", ("c\ud83d", 1)], "plain": {"d": None}}

    assert orjson.loads(encoded(body)) == {"a\ufffd": ["b\ufffd", ["c\ufffd", 1]], "plain": {"d": None}}


@pytest.mark.parametrize(("text", "value"), [('{"a": 1}', {"a": 1}), ("[]", None), ("{", None), ("", None)])
def test_only_an_object_is_one(text: str, value: dict[str, Any] | None) -> None:
    assert json_object(text) == value
