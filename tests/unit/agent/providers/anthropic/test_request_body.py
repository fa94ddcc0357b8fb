from typing import Any

import orjson
import pytest

from wakeful.agent.providers.anthropic.options import DEFAULT_OUTPUT
from wakeful.agent.providers.anthropic.request_body import messages_body
from wakeful.agent.providers.base import ModelRequest
from wakeful.agent.providers.endpoint_settings import EndpointSettings
from wakeful.model.journal.message import AssistantMessage, Message, SystemMessage, ToolCall, ToolMessage, UserMessage
from wakeful.tools.base import ToolSpec

_MARK = {"cache_control": {"type": "ephemeral"}}
_LOOK = ToolSpec("look", "Look.", {"properties": {}})
_TAKE = ToolSpec("take", "Take.", {"type": "object"})


def _body(*messages: Message, options: dict[str, Any] | None = None, **of_model: Any) -> dict[str, Any]:
    request = ModelRequest("opus", "Be kind.", messages, [_LOOK, _TAKE], options or {})
    settings = EndpointSettings(name="claude", options={"opus": of_model})
    body: dict[str, Any] = orjson.loads(messages_body(request, settings, DEFAULT_OUTPUT))
    return body


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def test_a_conversation_is_written_as_the_api_wants_it() -> None:
    calling = AssistantMessage("Looking.", calls=(ToolCall("a", "look", '{"at":"x"}'),))

    body = _body(UserMessage("Hi"), calling, ToolMessage("a", "seen"), UserMessage("And?"))

    use = {"type": "tool_use", "id": "a", "name": "look", "input": {"at": "x"}}
    assert body == {
        "model": "opus",
        "max_tokens": DEFAULT_OUTPUT,
        "stream": True,
        "tools": [
            {"name": "look", "description": "Look.", "input_schema": {"type": "object", "properties": {}}},
            {"name": "take", "description": "Take.", "input_schema": {"type": "object"}, **_MARK},
        ],
        "system": [_text("Be kind.") | _MARK],
        "messages": [
            {"role": "user", "content": [_text("Hi") | _MARK]},
            {"role": "assistant", "content": [_text("Looking."), use]},
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "a", "content": "seen"},
                    _text("And?") | _MARK,
                ],
            },
        ],
    }


def test_there_are_never_more_than_four_marks() -> None:
    words: list[Message] = [said for n in range(9) for said in (UserMessage(f"{n}?"), AssistantMessage(f"{n}."))]

    body = _body(*words, UserMessage("And?"))

    assert orjson.dumps(body).count(b"cache_control") == 4
    marked = [turn for turn in body["messages"] if "cache_control" in turn["content"][-1]]
    assert marked == [body["messages"][-3], body["messages"][-1]]


def test_a_clients_system_messages_at_the_beginning_are_instructions_and_later_ones_are_not_lost() -> None:
    body = _body(SystemMessage("Rhyme."), UserMessage("Hi"), SystemMessage("No more rhymes."))

    assert [block["text"] for block in body["system"]] == ["Be kind.", "Rhyme."]
    assert body["messages"][0]["content"][-1]["text"].endswith("No more rhymes.")


@pytest.mark.parametrize(
    ("url", "source"),
    [
        ("data:image/png;base64,iVBO", {"type": "base64", "media_type": "image/png", "data": "iVBO"}),
        ("data:image/gif,GIF%3A", {"type": "base64", "media_type": "image/gif", "data": "R0lGOg=="}),
        ("https://host/a.png", {"type": "url", "url": "https://host/a.png"}),
    ],
)
def test_pictures_are_blocks(url: str, source: dict[str, str]) -> None:
    (said,) = _body(UserMessage("Look", (url,)))["messages"]

    assert said["content"] == [_text("Look"), {"type": "image", "source": source, **_MARK}]


def test_blank_texts_are_left_out() -> None:
    call = AssistantMessage("\n\n", calls=(ToolCall("a", "look", "{}"),))

    body = _body(
        UserMessage("Hi"), call, ToolMessage("a", ""), AssistantMessage(" "), UserMessage("  ", ("https://x",))
    )

    assert [block["type"] for turn in body["messages"] for block in turn["content"]] == [
        "text", "tool_use", "tool_result", "image",
    ]  # fmt: skip


@pytest.mark.parametrize(("text", "kinds"), [("seen", ["text", "image"]), (" ", ["image"])])
def test_the_pictures_of_a_result_stand_in_it(text: str, kinds: list[str]) -> None:
    call = AssistantMessage("", calls=(ToolCall("a", "look", "{}"),))

    body = _body(UserMessage("Hi"), call, ToolMessage("a", text, images=("https://x",)))

    (result,) = body["messages"][2]["content"]
    assert [block["type"] for block in result["content"]] == kinds


def test_ids_and_arguments_of_other_providers_are_made_fit() -> None:
    call = AssistantMessage("", calls=(ToolCall("functions.look:0", "look", '{"at": '),))

    body = _body(UserMessage("Hi"), call, ToolMessage("functions.look:0", "seen"))

    (use,), (result,) = body["messages"][1]["content"], body["messages"][2]["content"]
    assert use["id"] == result["tool_use_id"] == "functions_look_0"
    assert use["input"] == {"invalid_json": '{"at": '}


def test_a_conversation_that_begins_with_an_answer_gets_a_beginning() -> None:
    assert [turn["role"] for turn in _body(AssistantMessage("Yes."), UserMessage("And?"))["messages"]] == [
        "user", "assistant", "user",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "fields"),
    [
        ({"temperature": 0.2, "top_p": 0.5, "top_k": 3, "seed": 1}, {}),
        ({"max_tokens": 50}, {"max_tokens": 50}),
        ({"max_completion_tokens": 60, "max_tokens": 50}, {"max_tokens": 60}),
        ({"max_tokens": 10_000_000}, {"max_tokens": DEFAULT_OUTPUT}),
        ({"stop": "END"}, {"stop_sequences": ["END"]}),
        ({"stop": ["A", " "]}, {"stop_sequences": ["A"]}),
        ({"tool_choice": "required"}, {"tool_choice": {"type": "any"}}),
        (
            {"tool_choice": {"type": "function", "function": {"name": "look"}}, "parallel_tool_calls": False},
            {"tool_choice": {"type": "tool", "name": "look", "disable_parallel_tool_use": True}},
        ),
        ({"parallel_tool_calls": False}, {"tool_choice": {"type": "auto", "disable_parallel_tool_use": True}}),
        ({"reasoning_effort": "minimal"}, {"output_config": {"effort": "low"}}),
        (
            {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object"}}}},
            {"output_config": {"format": {"type": "json_schema", "schema": {"type": "object"}}}},
        ),
        ({"response_format": {"type": "json_object"}}, {}),
    ],
)
def test_options_of_a_client_are_those_of_the_api(options: dict[str, Any], fields: dict[str, Any]) -> None:
    plain = _body(UserMessage("Hi"))

    assert _body(UserMessage("Hi"), options=options) == plain | fields


def test_the_operators_options_go_into_the_body_as_they_are() -> None:
    body = _body(
        UserMessage("Hi"),
        options={"reasoning_effort": "low", "max_tokens": 5},
        thinking={"type": "adaptive"},
        output_config={"effort": "max"},
        tools=[{"type": "web_search_20250305", "name": "web_search"}],
        max_tokens=64_000,
        model="another",
        messages=[],
    )

    assert (body["thinking"], body["output_config"], body["max_tokens"]) == (
        {"type": "adaptive"}, {"effort": "max"}, 64_000,
    )  # fmt: skip
    assert [tool["name"] for tool in body["tools"]] == ["look", "take", "web_search"]
    assert body["tools"][-1]["cache_control"] == {"type": "ephemeral"}
    assert body["model"] == "opus"
    assert (list(body)[-1], len(body["messages"])) == ("messages", 1)
