"""Reads and checks the arguments of a terminal call before anything happens."""

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wakeful.context import session_environment
from wakeful.tools.base import Unusable
from wakeful.tools.processes.wrapper import COMMAND_LIMIT

DEFAULT_TIMEOUT = 180
LONGEST_TIMEOUT = 600

_PATTERN_LIMIT = 1_000
# Each pattern costs a search through the whole output.
_MOST_PATTERNS = 50


@dataclass(frozen=True, slots=True)
class TerminalRequest:
    command: str
    workdir: Path
    background: bool = False
    # None if the call has no timeout.
    timeout: float | None = None
    pty: bool = False
    notify_on_complete: bool = False
    watch_patterns: tuple[str, ...] = ()
    # Paths in the server's folder that a sandbox leaves visible.
    opened: tuple[str, ...] = ()
    # Environment variables that tell the command about its session.
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def wants_promise(self) -> bool:
        return self.notify_on_complete or bool(self.watch_patterns)


def read_request(arguments: Mapping[str, Any], workspace: Path) -> TerminalRequest:
    """Return the checked request. Raises Unusable."""
    request = TerminalRequest(
        command=_command(arguments.get("command")),
        workdir=_workdir(arguments.get("workdir"), workspace),
        background=_is_true(arguments, "background"),
        timeout=read_timeout(arguments.get("timeout")),
        pty=_is_true(arguments, "pty"),
        notify_on_complete=_is_true(arguments, "notify_on_complete"),
        watch_patterns=_patterns(arguments.get("watch_patterns")),
        variables=session_environment(),
    )
    if not request.background:
        _require_foreground(request)
    return request


def asks_for_background(arguments: Mapping[str, Any]) -> bool:
    try:
        return _is_true(arguments, "background")
    except Unusable:
        return False


def read_timeout(value: Any) -> float | None:
    """Return the seconds. Raises Unusable."""
    if value is None:
        return None
    try:
        # Models sometimes write numbers as text.
        seconds = float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else math.nan
    except (ValueError, OverflowError):
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise Unusable("timeout must be a number of seconds above 0")
    return seconds


def _require_foreground(request: TerminalRequest) -> None:
    if request.timeout is not None and request.timeout > LONGEST_TIMEOUT:
        raise Unusable(
            f"timeout of a foreground command is {LONGEST_TIMEOUT} s at most; for longer work use background=true"
        )
    if request.wants_promise:
        raise Unusable("notify_on_complete and watch_patterns need background=true")


def _command(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise Unusable("command must be a string that is not empty")
    if "\0" in value:
        raise Unusable("command must not contain a NUL character")
    try:
        size = len(value.encode())
    except UnicodeEncodeError as error:
        raise Unusable("command is not valid Unicode text") from error
    if size > COMMAND_LIMIT:
        raise Unusable(
            f"command has {size:,} bytes, and the limit is {COMMAND_LIMIT:,}; write it to a file and run that file",
            "too_large",
        )
    return value


def _workdir(value: Any, workspace: Path) -> Path:
    if value is None or value == "":
        value = "."
    if not isinstance(value, str) or "\0" in value:
        raise Unusable("workdir must be the path of a folder")
    # Links are followed here, so the folder that is checked, shown and used is the same.
    path = os.path.realpath(workspace / os.path.expanduser(value))
    if not os.path.exists(path):
        raise Unusable(f"workdir {value} was not found", "not_found")
    if not os.path.isdir(path):
        raise Unusable(f"workdir {value} is not a folder", "not_a_folder")
    return Path(path)


def _is_true(arguments: Mapping[str, Any], name: str) -> bool:
    value = arguments.get(name)
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    if value is None or isinstance(value, bool):
        return bool(value)
    raise Unusable(f"{name} must be true or false")


def _patterns(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list | tuple) or not all(isinstance(pattern, str) for pattern in value):
        raise Unusable("watch_patterns must be a list of strings")
    if len(value) > _MOST_PATTERNS:
        raise Unusable(f"watch_patterns has {len(value):,} entries, and the limit is {_MOST_PATTERNS}")
    for pattern in value:
        if not pattern or "\n" in pattern or len(pattern) > _PATTERN_LIMIT:
            raise Unusable(f"each of watch_patterns must be 1 to {_PATTERN_LIMIT:,} characters of one line")
    return tuple(value)
