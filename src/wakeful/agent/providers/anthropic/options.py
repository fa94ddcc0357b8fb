"""A client's options, which are those of a chat completion, as the Messages API has them.

`temperature`, `top_p`, penalties, `seed` and `logit_bias` have no field there, and are left out. So is a plain
`json_object`, which needs a schema.
"""

from collections.abc import Mapping
from typing import Any

# Every request needs a limit. Most models allow at least this, and the others say what they allow.
DEFAULT_OUTPUT = 32_000
_EFFORTS = {"minimal": "low", "low": "low", "medium": "medium", "high": "high", "xhigh": "xhigh", "max": "max"}


def body_options(options: Mapping[str, Any], *, has_tools: bool, output_limit: int) -> dict[str, Any]:
    """Return the fields of the body. `output_limit` is the most tokens that the model may write."""
    asked = options.get("max_completion_tokens") or options.get("max_tokens") or output_limit
    fields = {
        "max_tokens": min(asked, output_limit),
        "stop_sequences": _stop_sequences(options.get("stop")),
        "tool_choice": _tool_choice(options) if has_tools else None,
        "output_config": _output_config(options),
    }
    return {name: value for name, value in fields.items() if value}


def _stop_sequences(stop: object) -> list[str]:
    given = [stop] if isinstance(stop, str) else stop if isinstance(stop, list) else []
    # The API refuses blank ones.
    return [sequence for sequence in given if sequence.strip()]


def _tool_choice(options: Mapping[str, Any]) -> dict[str, Any] | None:
    choice: dict[str, Any] = {"type": "auto"}
    match options.get("tool_choice"):
        case "required":
            choice = {"type": "any"}
        case {"function": {"name": name}}:
            choice = {"type": "tool", "name": name}
    if options.get("parallel_tool_calls") is False:
        choice["disable_parallel_tool_use"] = True
    return None if choice == {"type": "auto"} else choice


def _output_config(options: Mapping[str, Any]) -> dict[str, Any]:
    config: dict[str, Any] = {}
    if effort := _EFFORTS.get(options.get("reasoning_effort", "")):
        config["effort"] = effort
    match options.get("response_format"):
        case {"json_schema": {"schema": schema}}:
            config["format"] = {"type": "json_schema", "schema": schema}
    return config
