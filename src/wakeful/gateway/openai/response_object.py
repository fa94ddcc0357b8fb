"""The response object: every key always there, with what the client asked for or what counts where it asked nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wakeful.model.request import MCP_CALL

# What a request may say and a response echoes, and the value where it says nothing.
_ECHOED: Mapping[str, Any] = {
    "instructions": None,
    "max_output_tokens": None,
    "max_tool_calls": None,
    "metadata": {},
    "parallel_tool_calls": True,
    "prompt_cache_key": None,
    "safety_identifier": None,
    "temperature": 1.0,
    "tool_choice": "auto",
    "top_logprobs": 0,
    "top_p": 1.0,
    "truncation": "disabled",
    "user": None,
}
_REASONING = {"effort": None, "summary": None}
_TEXT = {"format": {"type": "text"}}
_FUNCTION = {"description": None, "parameters": None, "strict": None}


@dataclass(frozen=True, slots=True)
class ResponseFacts:
    """What is fixed before a response begins."""

    id: str
    model: str
    # Unix seconds.
    created_at: int
    previous_response_id: str | None = None
    conversation_id: str | None = None
    is_stored: bool = True
    is_background: bool = False
    # How calls of the server's tools are told.
    tool_items: str = MCP_CALL


@dataclass(slots=True)
class ResponseState:
    """What changes while it runs, besides its output."""

    status: str
    completed_at: int | None = None
    error: dict[str, str] | None = None
    incomplete_reason: str | None = None
    usage: dict[str, Any] | None = None


class ResponseForm:
    """Makes the object of one response, from its state and its output."""

    def __init__(self, facts: ResponseFacts, request: Mapping[str, Any]) -> None:
        """`request` is the body as the client sent it, checked by whoever took it."""
        self._fixed = _fixed(facts) | _echo(request)

    def fill(self, state: ResponseState, output: list[dict[str, Any]]) -> dict[str, Any]:
        reason = state.incomplete_reason
        return self._fixed | {
            "status": state.status,
            "completed_at": state.completed_at,
            "error": state.error,
            "incomplete_details": None if reason is None else {"reason": reason},
            "output": output,
            "usage": state.usage,
        }


def _fixed(facts: ResponseFacts) -> dict[str, Any]:
    conversation = facts.conversation_id
    return {
        "id": facts.id,
        "object": "response",
        "created_at": facts.created_at,
        "background": facts.is_background,
        "model": facts.model,
        "previous_response_id": facts.previous_response_id,
        "conversation": None if conversation is None else {"id": conversation},
        "store": facts.is_stored,
    }


def _echo(request: Mapping[str, Any]) -> dict[str, Any]:
    given = {key: value for key, value in request.items() if value is not None}
    tier = given.get("service_tier", "auto")
    return {
        **{key: given.get(key, default) for key, default in _ECHOED.items()},
        "reasoning": _REASONING | given.get("reasoning", {}),
        # The answer names the tier that was used, and "auto" is none.
        "service_tier": "default" if tier == "auto" else tier,
        "text": _TEXT | {key: value for key, value in given.get("text", {}).items() if value is not None},
        "tools": [_tool(tool) for tool in given.get("tools", [])],
    }


def _tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    return (_FUNCTION if tool.get("type") == "function" else {}) | dict(tool)
