"""What a client asks for with POST /v1/chat/completions, checked before anything happens."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from wakeful.gateway.openai import body as fields
from wakeful.gateway.openai.answer_format import response_format
from wakeful.gateway.openai.body import Body
from wakeful.gateway.openai.client_tools import client_tools
from wakeful.gateway.openai.errors import invalid
from wakeful.gateway.openai.response_inputs import Input
from wakeful.gateway.openai.response_request import SERVICE_TIERS
from wakeful.gateway.openai.tool_choice import require_tools, tool_choice
from wakeful.model.request import CHAT, TurnRequest

_NAME_LIMIT = 256
_MANY = 10_000_000
_LARGEST_SEED = 2**63 - 1
_MOST_STOPS = 64
# No set: what a client sends may be a list or an object, and cannot be looked up in one.
_ROLES = ("assistant", "developer", "system", "tool", "user")


@dataclass(frozen=True, slots=True)
class ChatRequest:
    inputs: list[Input]
    model: str
    is_streamed: bool
    includes_usage: bool
    turn: TurnRequest


def read_chat_request(body: Body, server_tools: Collection[str]) -> ChatRequest:
    """Raises ApiError."""
    _refuse_what_is_not_there(body)
    _check_the_rest(body)
    stream_options = fields.mapping(body, "stream_options") or {}
    request = ChatRequest(
        inputs=_inputs(body.get("messages")),
        model=fields.text(body, "model", limit=_NAME_LIMIT) or "",
        is_streamed=fields.flag(body, "stream", False),
        includes_usage=fields.flag(stream_options, "include_usage", False, inside="stream_options"),
        turn=TurnRequest(
            kind=CHAT,
            tools=client_tools(body, nested="function"),
            options=_options(body),
            echo={name: body[name] for name in ("model", "metadata", "user") if name in body},
            allowed_tools=tool_choice(body, nested="function").allowed,
        ),
    )
    require_tools(request.turn, server_tools)
    return request


def _inputs(given: Any) -> list[Input]:
    if not isinstance(given, list) or not given:
        raise invalid("messages", "messages must be a list with at least one message.")
    return [said for number, message in enumerate(given) for said in _message(message, f"messages[{number}]")]


def _message(message: Any, where: str) -> list[Input]:
    role = message.get("role") if isinstance(message, dict) else None
    if role not in _ROLES:
        raise invalid(f"{where}.role", f"{where}.role must be one of {', '.join(_ROLES)}.")
    said = _content(message.get("content"), where, may_be_missing=role == "assistant")
    if role == "tool":
        call_id = message.get("tool_call_id")
        if not isinstance(call_id, str):
            raise invalid(f"{where}.tool_call_id", f"{where}.tool_call_id must be a text.")
        return [{"role": role, "call_id": call_id, **said}]
    if role == "assistant" and (calls := _calls(message.get("tool_calls"), f"{where}.tool_calls")):
        # Each call is an item of its own; to the model they become one message again.
        asked = [{"role": role, "text": "", "calls": [call]} for call in calls]
        return [{"role": role, **said}, *asked] if said["text"] else asked
    return [{"role": role, **said}]


def _content(content: Any, where: str, *, may_be_missing: bool) -> dict[str, Any]:
    if isinstance(content, str):
        return {"text": content}
    if content is None and may_be_missing:
        return {"text": ""}
    if not isinstance(content, list):
        raise invalid(f"{where}.content", f"{where}.content must be a text or a list of parts.")
    texts: list[str] = []
    images: list[str] = []
    for number, part in enumerate(content):
        _read_part(part, f"{where}.content[{number}]", texts, images)
    return {"text": "".join(texts)} | ({"images": images} if images else {})


def _read_part(part: Any, where: str, texts: list[str], images: list[str]) -> None:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "text" and isinstance(part.get("text"), str):
        texts.append(part["text"])
    elif kind == "refusal" and isinstance(part.get("refusal"), str):
        texts.append(part["refusal"])
    elif kind == "image_url" and isinstance(url := _url_of(part.get("image_url")), str):
        images.append(url)
    else:
        raise invalid(where, f"{where} must be a text or an image_url.")


def _url_of(image: Any) -> Any:
    return image.get("url") if isinstance(image, dict) else None


def _calls(given: Any, where: str) -> list[dict[str, str]]:
    if given is None:
        return []
    calls = [_call(call) for call in given] if isinstance(given, list) else [None]
    if None in calls:
        raise invalid(where, f"{where} must be calls with an id, and a function with name and arguments.")
    return [call for call in calls if call is not None]


def _call(call: Any) -> dict[str, str] | None:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict) or call.get("type", "function") != "function":
        return None
    named = {"id": call.get("id"), "name": function.get("name"), "arguments": function.get("arguments")}
    return named if all(isinstance(text, str) for text in named.values()) else None


def _options(body: Body) -> dict[str, Any]:
    """What the model's endpoint is told as it is."""
    options: dict[str, Any] = {
        "temperature": fields.number(body, "temperature", 0, 2),
        "top_p": fields.number(body, "top_p", 0, 1),
        "presence_penalty": fields.number(body, "presence_penalty", -2, 2),
        "frequency_penalty": fields.number(body, "frequency_penalty", -2, 2),
        "max_tokens": fields.whole_number(body, "max_tokens", 1, _MANY),
        "max_completion_tokens": fields.whole_number(body, "max_completion_tokens", 1, _MANY),
        "seed": fields.whole_number(body, "seed", -_LARGEST_SEED, _LARGEST_SEED),
        "reasoning_effort": fields.text(body, "reasoning_effort", limit=32),
        "stop": _stop(body),
        "logit_bias": _logit_bias(body),
        "response_format": response_format(body),
        **tool_choice(body, nested="function").option,
    }
    if not fields.flag(body, "parallel_tool_calls", True):
        options["parallel_tool_calls"] = False
    return {name: value for name, value in options.items() if value is not None}


def _stop(body: Body) -> str | list[str] | None:
    stop = body.get("stop")
    if stop is None or isinstance(stop, str):
        return stop
    if not isinstance(stop, list) or len(stop) > _MOST_STOPS or not all(isinstance(text, str) for text in stop):
        raise invalid("stop", f"stop must be a text or at most {_MOST_STOPS} of them.")
    return stop or None


def _logit_bias(body: Body) -> Mapping[str, Any] | None:
    bias = fields.mapping(body, "logit_bias")
    if bias is None:
        return None
    weights = {token: fields.number(bias, token, -100, 100, inside="logit_bias") for token in bias}
    return {token: weight for token, weight in weights.items() if weight is not None}


def _check_the_rest(body: Body) -> None:
    fields.metadata(body)
    for name in ("user", "prompt_cache_key", "safety_identifier"):
        fields.text(body, name)
    fields.one_of(body, "service_tier", SERVICE_TIERS)
    fields.flag(body, "store", False)


def _refuse_what_is_not_there(body: Body) -> None:
    """To pass it over would be an answer that looks right and is not."""
    if fields.whole_number(body, "n", 1, 128) not in (None, 1):
        raise invalid("n", "n must be 1: a turn has one answer.")
    if fields.flag(body, "logprobs", False):
        raise invalid("logprobs", "logprobs must be false: log probabilities are not told.")
    if fields.whole_number(body, "top_logprobs", 0, 20):
        raise invalid("top_logprobs", "top_logprobs must be 0: log probabilities are not told.")
    if any(form != "text" for form in fields.entries(body, "modalities") or []):
        raise invalid("modalities", "modalities must be text: nothing is spoken here.")
    for name in ("functions", "function_call"):
        if body.get(name) is not None:
            raise invalid(name, f"{name} is of an older API: use tools and tool_choice.")
