"""Which tools a client lets the model call, and whether it must call one."""

from typing import Any

import pytest

from wakeful.gateway.openai.chat.request import read_chat_request
from wakeful.gateway.openai.errors import ApiError
from wakeful.gateway.openai.fields.tool_choice import ToolChoice, require_tools
from wakeful.gateway.openai.responses.request import read_response_request
from wakeful.model.api.request import ClientTool, TurnRequest

MINE = {"type": "function", "name": "mine"}
SERVERS = frozenset({"terminal"})


def forced(name: str) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name}}


@pytest.mark.parametrize(
    ("given", "force", "allowed"),
    [
        ("auto", None, None),
        ("none", None, ()),
        ("required", "required", None),
        ({"type": "function", "name": "mine"}, forced("mine"), None),
        ({"type": "allowed_tools", "mode": "auto", "tools": [MINE]}, None, ("mine",)),
        ({"type": "allowed_tools", "mode": "required", "tools": [MINE]}, "required", ("mine",)),
    ],
)
def test_a_response_is_bound_to_its_choice(given: Any, force: Any, allowed: tuple[str, ...] | None) -> None:
    asked = read_response_request({"input": "x", "tools": [MINE], "tool_choice": given}, SERVERS).turn

    assert (asked.options.get("tool_choice"), asked.allowed_tools) == (force, allowed)


@pytest.mark.parametrize(
    ("given", "force", "allowed"),
    [
        (forced("mine"), forced("mine"), None),
        (
            {"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": [forced("mine")]}},
            "required",
            ("mine",),
        ),
    ],
)
def test_a_chat_is_bound_to_its_choice(given: Any, force: Any, allowed: tuple[str, ...] | None) -> None:
    body = {"messages": [{"role": "user", "content": "x"}], "tools": [forced("mine")], "tool_choice": given}
    asked = read_chat_request(body, SERVERS).turn

    assert (asked.options.get("tool_choice"), asked.allowed_tools) == (force, allowed)


def asked_for(choice: ToolChoice, *tools: str) -> TurnRequest:
    made = tuple(ClientTool(name, "", {}) for name in tools)
    return TurnRequest(kind="response", tools=made, options=choice.option, allowed_tools=choice.allowed)


@pytest.mark.parametrize(
    ("choice", "tools"),
    [
        (ToolChoice(), ()),
        (ToolChoice(allowed=()), ()),
        (ToolChoice(allowed=("mine", "terminal")), ("mine",)),
        (ToolChoice(forced("terminal")), ()),
        (ToolChoice("required"), ()),
    ],
)
def test_tools_of_the_client_and_of_the_server_can_be_chosen(choice: ToolChoice, tools: tuple[str, ...]) -> None:
    require_tools(asked_for(choice, *tools), SERVERS)


@pytest.mark.parametrize(
    ("choice", "tools", "servers", "sentence"),
    [
        (ToolChoice(allowed=("mine", "b")), ("mine", "a"), SERVERS, "names b, which .*: a, mine, terminal."),
        (ToolChoice(forced("b")), ("mine",), SERVERS, "names b, which .*: mine, terminal."),
        (ToolChoice(forced("b")), (), (), "names b, which is not among the tools: none."),
        (ToolChoice("required"), (), (), "there is no tool to call"),
    ],
)
def test_a_tool_that_does_not_exist_cannot_be_chosen(
    choice: ToolChoice, tools: tuple[str, ...], servers: frozenset[str], sentence: str
) -> None:
    with pytest.raises(ApiError, match=sentence) as refusal:
        require_tools(asked_for(choice, *tools), servers)
    assert (refusal.value.status, refusal.value.code, refusal.value.param) == (400, "unknown_tool", "tool_choice")


def test_two_functions_of_one_name_are_refused() -> None:
    with pytest.raises(ApiError, match=r"tools\[1\]\.name must be unique") as refusal:
        read_response_request({"input": "x", "tools": [MINE, MINE]}, SERVERS)
    assert refusal.value.code == "duplicate_tool_name"
