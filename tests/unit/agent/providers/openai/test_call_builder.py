from typing import Any

import pytest

from wakeful.agent.providers.openai.call_builder import CallBuilder
from wakeful.model.journal.message import ToolCall


def _delta(
    name: str | None = None, arguments: object = None, *, index: int | None = None, id: str | None = None
) -> dict[str, Any]:
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    optional = {key: value for key, value in (("index", index), ("id", id)) if value is not None}
    return {**optional, "type": "function", "function": function}


def _build(*deltas: dict[str, Any], taken: tuple[str, ...] = ()) -> tuple[ToolCall, ...]:
    builder = CallBuilder()
    for delta in deltas:
        builder.add(delta)
    return builder.finish(taken)


def test_deltas_of_two_calls_are_sorted_by_their_index() -> None:
    calls = _build(
        _delta("read", "", index=0, id="a"),
        _delta("list", "", index=1, id="b"),
        _delta(None, '{"x":', index=0),
        _delta(None, "{}", index=1),
        _delta(None, "1}", index=0),
    )

    assert calls == (ToolCall("a", "read", '{"x":1}'), ToolCall("b", "list", "{}"))


@pytest.mark.parametrize(
    "deltas",
    [
        # Neither has an index; the second delta of each has no id either.
        (_delta("read", "{", id="a"), _delta(None, "}"), _delta("list", "{", id="b"), _delta(None, "}")),
        # Every delta repeats the id.
        (
            _delta("read", "{", id="a"),
            _delta(None, "}", id="a"),
            _delta("list", "{", id="b"),
            _delta(None, "}", id="b"),
        ),
        # Every delta repeats id and name.
        (_delta("read", "{", id="a"), _delta("read", "}", id="a"), _delta("list", "{}", id="b")),
        # Every call is number 0.
        (_delta("read", "{}", index=0, id="a"), _delta("list", "{", index=0, id="b"), _delta(None, "}", index=0)),
        # Whole calls at once, with arguments as objects.
        (_delta("read", {}, index=0, id="a"), _delta("list", {}, index=1, id="b")),
        # The id comes late.
        (_delta("read", index=0), _delta(None, "{}", index=0, id="a"), _delta("list", "{}", index=1, id="b")),
        # The name comes late.
        (_delta(None, "", index=0, id="a"), _delta("read", "{}", index=0), _delta("list", "{}", index=1, id="b")),
        # Later deltas have an empty id and name instead of none.
        (_delta("read", "{", index=0, id="a"), _delta("", "}", index=0, id=""), _delta("list", "{}", index=1, id="b")),
        # Each delta of a call has a different id.
        (_delta("read", "{", id="a"), _delta(None, "}", id="z"), _delta("list", "{}", id="b")),
    ],
)
def test_ways_of_endpoints_to_send_the_same_two_calls_are_understood(deltas: tuple[dict[str, Any], ...]) -> None:
    assert _build(*deltas) == (ToolCall("a", "read", "{}"), ToolCall("b", "list", "{}"))


def test_whole_calls_of_one_tool_without_index_and_id_stay_two_calls() -> None:
    calls = _build(_delta("read", '{"path": "a"}'), _delta("read", '{"path": "b"}'))

    assert [call.arguments for call in calls] == ['{"path": "a"}', '{"path": "b"}']
    assert calls[0].id
    assert calls[0].id != calls[1].id


def test_an_id_that_is_repeated_is_replaced() -> None:
    first, second = _build(_delta("read", "{}", index=0, id="call_0"), _delta("read", "{}", index=1, id="call_0"))

    assert first.id == "call_0"
    assert second.id != "call_0"


def test_an_id_that_the_conversation_already_has_is_replaced() -> None:
    (call,) = _build(_delta("read", "{}", index=0, id="call_0"), taken=("call_0",))

    assert call.id != "call_0"


def test_arguments_left_out_are_an_empty_object() -> None:
    (call,) = _build(_delta("list", index=0, id="a"))

    assert call.arguments == "{}"


def test_broken_arguments_are_kept_as_the_model_wrote_them() -> None:
    (call,) = _build(_delta("list", '{"path": ', index=0, id="a"))

    assert call.arguments == '{"path": '


def test_an_object_with_half_an_emoji_becomes_text_that_can_be_encoded() -> None:
    (call,) = _build(_delta("write", {"content": "\ud83d"}, index=0, id="a"))

    assert call.arguments == '{"content": "\N{REPLACEMENT CHARACTER}"}'
