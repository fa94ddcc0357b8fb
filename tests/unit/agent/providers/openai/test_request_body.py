from types import MappingProxyType

import orjson

from wakeful.agent.providers.base import ModelRequest
from wakeful.agent.providers.endpoint_settings import EndpointSettings
from wakeful.agent.providers.openai.dialect import Dialect
from wakeful.agent.providers.openai.request_body import request_body
from wakeful.model.journal.message import (
    AssistantMessage,
    Message,
    NativeParts,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from wakeful.tools.base import ToolSpec

_SPEC = ToolSpec("read_file", "Read a file.", MappingProxyType({"type": "object"}))
_CALLING = AssistantMessage("Looking.", "hm", (ToolCall("a", "read_file", '{"path":"x"}'),))
_REQUEST = ModelRequest("gpt", "Be kind.", [UserMessage("Read x."), _CALLING, ToolMessage("a", "its text")], [_SPEC])


def test_a_conversation_is_written_as_chat_completions_want_it() -> None:
    body = orjson.loads(request_body(_REQUEST, Dialect(), EndpointSettings()))

    function = {"name": "read_file", "arguments": '{"path":"x"}'}
    assert body == {
        "model": "gpt",
        "stream": True,
        "stream_options": {"include_usage": True},
        "messages": [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "Read x."},
            {
                "role": "assistant",
                "content": "Looking.",
                "tool_calls": [{"id": "a", "type": "function", "function": function}],
            },
            {"role": "tool", "tool_call_id": "a", "content": "its text"},
        ],
        "tools": [
            {
                "type": "function",
                "function": {"name": "read_file", "description": "Read a file.", "parameters": {"type": "object"}},
            }
        ],
    }


def test_the_pictures_of_several_results_follow_the_last_of_them_in_one_message() -> None:
    calling = AssistantMessage("", "", (ToolCall("a", "look", "{}"), ToolCall("b", "look", "{}")))
    results = [ToolMessage("a", "one", images=("data:1",)), ToolMessage("b", "two", images=("data:2", "data:3"))]
    request = ModelRequest("gpt", "", [UserMessage("Look."), calling, *results, UserMessage("And?")], [])

    messages = orjson.loads(request_body(request, Dialect(), EndpointSettings()))["messages"]

    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "tool", "user", "user"]
    shown = [part["image_url"]["url"] for part in messages[4]["content"] if part["type"] == "image_url"]
    assert shown == ["data:1", "data:2", "data:3"]


def test_what_is_not_there_is_not_written() -> None:
    body = orjson.loads(
        request_body(
            ModelRequest("gpt", "", [UserMessage("Hi")], []), Dialect(asks_for_usage=False), EndpointSettings()
        )
    )

    assert body == {"model": "gpt", "stream": True, "messages": [{"role": "user", "content": "Hi"}]}


def test_reasoning_goes_back_only_after_the_last_user_message() -> None:
    older: list[Message] = [UserMessage("Before."), AssistantMessage("Yes.", "old thoughts")]
    request = ModelRequest("gpt", "", [*older, *_REQUEST.messages], [])

    messages = orjson.loads(request_body(request, Dialect(returns_reasoning=True), EndpointSettings()))["messages"]

    assert [message.get("reasoning_content") for message in messages] == [None, None, None, "hm", None]


def test_half_an_emoji_does_not_stop_a_request() -> None:
    words: list[Message] = [
        UserMessage("a\ud83db"),
        AssistantMessage("", calls=(ToolCall("a", "t", '{"x": "\ud83d"}'),)),
    ]

    body = orjson.loads(request_body(ModelRequest("gpt", "", words, []), Dialect(), EndpointSettings()))

    assert body["messages"][0]["content"] == "a\N{REPLACEMENT CHARACTER}b"


def test_broken_arguments_of_an_earlier_call_are_sent_as_valid_json() -> None:
    words: list[Message] = [
        UserMessage("Hi"),
        AssistantMessage("", calls=(ToolCall("a", "t", '{"x": '),)),
        ToolMessage("a", "broken"),
    ]

    body = orjson.loads(request_body(ModelRequest("gpt", "", words, []), Dialect(), EndpointSettings()))

    arguments = body["messages"][1]["tool_calls"][0]["function"]["arguments"]
    assert orjson.loads(arguments) == {"invalid_json": '{"x": '}


def test_without_tools_nothing_is_said_about_them_and_no_option_replaces_the_conversation() -> None:
    options = {"tool_choice": "required", "parallel_tool_calls": False, "messages": [], "model": "x", "seed": 1}
    request = ModelRequest("gpt", "", [SystemMessage("Rhyme."), UserMessage("", ("data:1",))], [], options)
    settings = EndpointSettings(options={"gpt": {"stream": False, "messages": [], "service_tier": "flex"}})

    body = orjson.loads(request_body(request, Dialect(asks_for_usage=False), settings))

    picture = {"type": "image_url", "image_url": {"url": "data:1"}}
    assert body == {
        "model": "gpt",
        "stream": True,
        "seed": 1,
        "service_tier": "flex",
        "messages": [{"role": "system", "content": "Rhyme."}, {"role": "user", "content": [picture]}],
    }
    # Last: then the next request begins with the same bytes.
    assert list(body)[-1] == "messages"


def test_the_signature_of_a_thought_goes_back_with_its_own_call() -> None:
    calls = (ToolCall("a", "look", "{}"), ToolCall("b", "look", "{}"))
    native = NativeParts("gemini", "openai", ({"call": 2, "extra_content": {"google": "sig"}},))
    request = ModelRequest("gpt", "", [UserMessage("Hi"), AssistantMessage("", calls=calls, native=native)], [])

    def sent(provider: str) -> list[object]:
        body = orjson.loads(request_body(request, Dialect(), EndpointSettings(name=provider)))
        return [call.get("extra_content") for call in body["messages"][1]["tool_calls"]]

    assert sent("gemini") == [None, {"google": "sig"}]
    assert sent("other") == [None, None]
