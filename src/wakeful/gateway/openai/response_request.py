"""What a client asks for with POST /v1/responses, checked before anything happens."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from wakeful.gateway.openai import body as fields
from wakeful.gateway.openai.answer_format import format_of_text
from wakeful.gateway.openai.body import Body
from wakeful.gateway.openai.client_tools import client_tools
from wakeful.gateway.openai.errors import ApiError, invalid
from wakeful.gateway.openai.response_inputs import Input, Reference, read_inputs
from wakeful.gateway.openai.tool_choice import require_tools, tool_choice
from wakeful.model.request import TurnRequest

_NAME_LIMIT = 256
_MANY = 10_000_000
_SUMMARIES = ("auto", "concise", "detailed")
SERVICE_TIERS = ("auto", "default", "flex", "scale", "priority", "fast")


@dataclass(frozen=True, slots=True)
class ResponseRequest:
    inputs: list[Input | Reference]
    # As the client wrote it; empty: the default.
    model: str
    # An id that begins with conv_, or a name; empty: none.
    conversation: str
    previous_response_id: str
    is_streamed: bool
    is_stored: bool
    is_background: bool
    turn: TurnRequest


def read_response_request(body: Body, server_tools: Collection[str]) -> ResponseRequest:
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
            tools=client_tools(body),
            options=_options(body),
            echo=_echo(body),
            allowed_tools=tool_choice(body).allowed,
        ),
    )
    require_tools(request.turn, server_tools)
    if request.conversation and request.previous_response_id:
        message = "conversation and previous_response_id cannot both be given."
        raise invalid("previous_response_id", message, "mutually_exclusive_parameters")
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


def _options(body: Body) -> dict[str, Any]:
    """What of it the model's endpoint is told, in its own words."""
    reasoning = fields.mapping(body, "reasoning") or {}
    fields.one_of(reasoning, "summary", _SUMMARIES, inside="reasoning")
    options = {
        "temperature": fields.number(body, "temperature", 0, 2),
        "top_p": fields.number(body, "top_p", 0, 1),
        "max_tokens": fields.whole_number(body, "max_output_tokens", 1, _MANY),
        "reasoning_effort": fields.text(reasoning, "effort", limit=32, inside="reasoning"),
        "response_format": format_of_text(body),
        **tool_choice(body).option,
    }
    if not fields.flag(body, "parallel_tool_calls", True):
        options["parallel_tool_calls"] = False
    return {name: value for name, value in options.items() if value is not None}


def _echo(body: Body) -> dict[str, Any]:
    """All but the words: those are in the journal."""
    fields.metadata(body)
    for name in ("user", "prompt_cache_key", "safety_identifier"):
        fields.text(body, name)
    fields.one_of(body, "service_tier", SERVICE_TIERS)
    fields.one_of(body, "truncation", ("auto", "disabled"))
    fields.whole_number(body, "max_tool_calls", 0, _MANY)
    _refuse_what_is_not_there(body)
    return {name: value for name, value in body.items() if name != "input"}


def _refuse_what_is_not_there(body: Body) -> None:
    """To pass it over would be an answer that looks right and is not."""
    if fields.whole_number(body, "top_logprobs", 0, 20):
        raise invalid("top_logprobs", "top_logprobs must be 0: log probabilities are not told.")
    if body.get("prompt") is not None:
        raise invalid("prompt", "There are no prompt templates here: send instructions and input.")
    for number, name in enumerate(fields.entries(body, "include") or []):
        if not isinstance(name, str):
            raise invalid(f"include[{number}]", f"include[{number}] must be a text.")
    stream_options = fields.mapping(body, "stream_options") or {}
    fields.flag(stream_options, "include_obfuscation", False, inside="stream_options")
