"""What a client asks for with POST /v1/responses, checked before anything happens."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wakeful.gateway.openai import body as fields
from wakeful.gateway.openai.body import Body
from wakeful.gateway.openai.errors import ApiError, invalid
from wakeful.gateway.openai.response_inputs import Input, read_inputs
from wakeful.model.request import ClientTool, TurnRequest

_NAME_LIMIT = 256
_MANY = 10_000_000


@dataclass(frozen=True, slots=True)
class ResponseRequest:
    inputs: list[Input]
    # As the client wrote it; empty: the default.
    model: str
    # An id that begins with conv_, or a name; empty: none.
    conversation: str
    previous_response_id: str
    is_streamed: bool
    is_stored: bool
    is_background: bool
    turn: TurnRequest


def read_response_request(body: Body) -> ResponseRequest:
    """Raises ApiError."""
    request = ResponseRequest(
        inputs=read_inputs(body.get("input")),
        model=fields.text(body, "model", limit=_NAME_LIMIT) or "",
        conversation=_conversation(body),
        previous_response_id=fields.text(body, "previous_response_id", limit=_NAME_LIMIT) or "",
        is_streamed=fields.flag(body, "stream", False),
        is_stored=fields.flag(body, "store", True),
        is_background=fields.flag(body, "background", False),
        turn=TurnRequest(
            kind="response",
            instructions=fields.text(body, "instructions") or "",
            tools=_tools(body),
            options=_options(body),
            echo=_echo(body),
        ),
    )
    if request.conversation and request.previous_response_id:
        raise invalid("previous_response_id", "conversation and previous_response_id cannot both be given.")
    if request.is_background and not request.is_stored:
        raise ApiError(400, "background_requires_store", "A background response must be stored.", param="background")
    return request


def _conversation(body: Body) -> str:
    given = body.get("conversation")
    if given is None:
        return ""
    if isinstance(given, dict):
        given = given.get("id")
    if not isinstance(given, str) or not 0 < len(given) <= _NAME_LIMIT or "\0" in given:
        raise invalid("conversation", f"conversation must be an id or a name of 1 to {_NAME_LIMIT} characters.")
    return given


def _tools(body: Body) -> tuple[ClientTool, ...]:
    given = body.get("tools")
    if given is None:
        return ()
    if not isinstance(given, list):
        raise invalid("tools", "tools must be a list.")
    return tuple(_tool(tool, f"tools[{number}]") for number, tool in enumerate(given))


def _tool(tool: Any, where: str) -> ClientTool:
    if not isinstance(tool, dict) or tool.get("type") != "function":
        raise invalid(where, f"{where} must be a function: the server brings other tools of its own.")
    name, parameters = tool.get("name"), tool.get("parameters") or {}
    if not isinstance(name, str) or not name or not isinstance(parameters, dict):
        raise invalid(where, f"{where} must have a name, and parameters that are a JSON schema.")
    return ClientTool(name, str(tool.get("description") or ""), parameters)


def _options(body: Body) -> dict[str, Any]:
    """What of it the model's endpoint is told, in its own words."""
    reasoning = fields.mapping(body, "reasoning") or {}
    options = {
        "temperature": fields.number(body, "temperature", 0, 2),
        "top_p": fields.number(body, "top_p", 0, 1),
        "max_tokens": fields.whole_number(body, "max_output_tokens", 1, _MANY),
        "reasoning_effort": fields.text(reasoning, "effort", limit=32),
        "response_format": _response_format(body),
        "tool_choice": _tool_choice(body),
    }
    if not fields.flag(body, "parallel_tool_calls", True):
        options["parallel_tool_calls"] = False
    return {name: value for name, value in options.items() if value is not None}


def _response_format(body: Body) -> Mapping[str, Any] | None:
    form = fields.mapping(fields.mapping(body, "text") or {}, "format")
    if form is None or form.get("type") == "text":
        return None
    if form.get("type") == "json_object":
        return {"type": "json_object"}
    schema = {name: form[name] for name in ("name", "schema", "strict", "description") if name in form}
    return {"type": "json_schema", "json_schema": schema}


def _tool_choice(body: Body) -> Any:
    choice = body.get("tool_choice")
    if choice in (None, "auto"):
        return None
    if choice in ("none", "required"):
        return choice
    if isinstance(choice, dict) and choice.get("type") == "function" and isinstance(choice.get("name"), str):
        return {"type": "function", "function": {"name": choice["name"]}}
    raise invalid("tool_choice", "tool_choice must be auto, none, required, or a function with a name.")


def _echo(body: Body) -> dict[str, Any]:
    """All but the words: those are in the journal."""
    fields.metadata(body)
    for name in ("user", "prompt_cache_key", "safety_identifier", "service_tier"):
        fields.text(body, name)
    fields.whole_number(body, "max_tool_calls", 1, _MANY)
    fields.whole_number(body, "top_logprobs", 0, 20)
    if body.get("truncation") not in (None, "auto", "disabled"):
        raise invalid("truncation", "truncation must be auto or disabled.")
    return {name: value for name, value in body.items() if name != "input"}
