"""The sentences that the server itself adds to posts: wake-up lines, tool calls, failures."""

from collections.abc import Mapping
from typing import Any

import orjson

from wakeful.gateway.messaging.settings import ShownProgress
from wakeful.model.session import WakeReason

MARK = "(This may come twice: it is not known whether the first arrived.)"
STOPPED = "(stopped)"

_COMMAND_LENGTH = 80
_ARGUMENT_LENGTH = 60
_RESULT_LENGTH = 100
# The argument that says most about a call, by its name; of any other call the first one.
_MAIN_ARGUMENTS = ("command", "path", "goal", "goals", "url", "pattern", "query", "action")


def notice_line(notice: Mapping[str, Any]) -> str:
    """Say which work has ended or matched; `notice` is what the journal keeps of it."""
    command = _short(str(notice.get("command", "")), _COMMAND_LENGTH)
    kind = notice.get("kind")
    if kind == "watch":
        return f'⏰ {command} (matched "{_short(str(notice.get("pattern", "")), _COMMAND_LENGTH)}")'
    if kind == "delegation":
        return f"⏰ delegation {command}"
    code = notice.get("exit_code")
    return f"⏰ {command} (lost)" if code is None else f"⏰ {command} (exit code {code})"


def call_line(name: str, arguments: str) -> str:
    return f"• {name}: {_short(_main_argument(arguments), _ARGUMENT_LENGTH)}".rstrip()


def result_line(call: str, result: str, progress: ShownProgress) -> str:
    """Return the line of a call that has its result."""
    return f"{call} → {_short(result, _RESULT_LENGTH)}" if progress is ShownProgress.ALL else call


def turn_failure_text(code: str, message: str) -> str:
    begin = "The model could not answer" if code.startswith("model") else "I had to stop"
    return f"{begin}: {message}"


def waiting_text(count: int, reason: str) -> str:
    if reason == WakeReason.SPEND:
        return f"{count} things wait: today's budget is spent. Write to me to go on."
    return f"{count} notices wait: I have woken myself too often this hour. Write to me to go on."


def _main_argument(arguments: str) -> str:
    try:
        given = orjson.loads(arguments)
    except ValueError:
        return arguments
    if not isinstance(given, dict) or not given:
        return ""
    name = next((name for name in _MAIN_ARGUMENTS if name in given), next(iter(given)))
    value = given[name]
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def _short(text: str, length: int) -> str:
    """Return the beginning of a text, in one line."""
    return " ".join(text.split())[:length]
