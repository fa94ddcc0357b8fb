from typing import Any

import orjson
import pytest

from wakeful.agent.providers.base import ModelRequest
from wakeful.agent.providers.endpoint_settings import EndpointSettings
from wakeful.agent.providers.responses.dialect import ReasoningDialect
from wakeful.agent.providers.responses.request_body import responses_body
from wakeful.model.journal.message import AssistantMessage, Message, SystemMessage, ToolCall, ToolMessage, UserMessage
from wakeful.tools.base import ToolSpec

_LOOK = ToolSpec("look", "Look.", {"type": "object"})


def _body(*messages: Message, options: dict[str, Any] | None = None, **of_model: Any) -> dict[str, Any]:
    request = ModelRequest("gpt", "Be kind.", messages, [_LOOK], options or {}, "s1")
    settings = EndpointSettings(options={"gpt": of_model})
    body: dict[str, Any] = orjson.loads(responses_body(request, ReasoningDialect(), settings))
    return body


def test_a_conversation_is_written_as_the_api_wants_it() -> None:
    calling = AssistantMessage("Looking.", calls=(ToolCall("a", "look", '{"at":"x"}'),))

    body = _body(
        SystemMessage("Rhyme."), UserMessage("Hi", ("data:image/png;base64,iVBO",)), calling, ToolMessage("a", "seen")
    )

    picture = {"type": "input_image", "image_url": "data:image/png;base64,iVBO", "detail": "auto"}
    text = {"type": "output_text", "text": "Looking."}
    assert body == {
        "reasoning": {"summary": "auto"},
        "tools": [
            {
                "type": "function",
                "name": "look",
                "description": "Look.",
                "parameters": {"type": "object"},
                "strict": False,
            }
        ],
        "include": ["reasoning.encrypted_content"],
        "prompt_cache_key": "s1",
        "model": "gpt",
        "stream": True,
        "store": False,
        "instructions": "Be kind.",
        "input": [
            {"role": "system", "content": "Rhyme."},
            {"role": "user", "content": [{"type": "input_text", "text": "Hi"}, picture]},
            {"type": "message", "role": "assistant", "content": [text]},
            {"type": "function_call", "call_id": "a", "name": "look", "arguments": '{"at":"x"}'},
            {"type": "function_call_output", "call_id": "a", "output": "seen"},
        ],
    }


@pytest.mark.parametrize(
    ("options", "fields"),
    [
        ({"temperature": 0.2, "top_p": 0.5, "seed": 1, "stop": "x"}, {"temperature": 0.2, "top_p": 0.5}),
        ({"max_tokens": 50}, {"max_output_tokens": 50}),
        ({"max_completion_tokens": 60}, {"max_output_tokens": 60}),
        ({"reasoning_effort": "high"}, {"reasoning": {"effort": "high", "summary": "auto"}}),
        ({"tool_choice": "required"}, {"tool_choice": "required"}),
        (
            {"tool_choice": {"type": "function", "function": {"name": "look"}}},
            {"tool_choice": {"type": "function", "name": "look"}},
        ),
        ({"parallel_tool_calls": False}, {"parallel_tool_calls": False}),
        (
            {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": {}, "strict": True}}},
            {"text": {"format": {"type": "json_schema", "name": "x", "schema": {}, "strict": True}}},
        ),
        ({"response_format": {"type": "json_object"}}, {"text": {"format": {"type": "json_object"}}}),
    ],
)
def test_options_of_a_client_are_those_of_the_api(options: dict[str, Any], fields: dict[str, Any]) -> None:
    plain = _body(UserMessage("Hi"))

    assert _body(UserMessage("Hi"), options=options) == plain | fields


def test_the_operators_options_go_into_the_body_as_they_are() -> None:
    body = _body(
        UserMessage("Hi"), reasoning={"effort": "high"}, service_tier="flex", include=["x"], store=True, input=[]
    )

    assert (body["reasoning"], body["service_tier"]) == ({"summary": "auto", "effort": "high"}, "flex")
    assert body["include"] == ["reasoning.encrypted_content", "x"]
    assert body["store"] is False
    assert (list(body)[-1], len(body["input"])) == ("input", 1)


def test_without_tools_nothing_is_said_about_them() -> None:
    request = ModelRequest(
        "gpt", "", [UserMessage("Hi")], [], {"tool_choice": "required", "parallel_tool_calls": False}
    )

    body = orjson.loads(responses_body(request, ReasoningDialect(False, False), EndpointSettings()))

    assert body == {
        "model": "gpt", "stream": True, "store": False, "input": [{"role": "user", "content": "Hi"}],
    }  # fmt: skip
