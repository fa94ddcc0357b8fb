"""Parses a typed line: a message to the agent, a message that steers it, or a command to the chat."""

import re
from dataclasses import dataclass
from enum import Enum, auto

from wakeful.model.approvals.mode import Mode


class LineKind(Enum):
    SAY = auto()
    STEER = auto()
    COMMAND = auto()


@dataclass(frozen=True, slots=True)
class Line:
    kind: LineKind
    # The message, or what follows the command's name.
    text: str
    # The command's name, without the slash.
    name: str = ""


# Each command: its arguments, and its line in /help.
COMMANDS = {
    "new": ("", "begin a new session"),
    "resume": ("[number or id]", "go on with another one; alone, list the recent ones"),
    "branch": ("", "go on in a copy, and leave this session as it is"),
    "tasks": ("", "show the background work of this session"),
    "allow": ("[session|folder]", "allow it for longer; alone, show what is asked"),
    "stop": ("", "stop the answer, as Ctrl-C does"),
    "steer": ("words", "speak into the running answer; so does !words"),
    "undo": ("[force]", "put back the files that the last turn changed"),
    "compact": ("[focus]", "sum up what the model reads; all stays visible"),
    "usage": ("", "show how full the context is, and what was spent"),
    "mcp": ("", "show the MCP servers and their tools"),
    "attach": ("[path]", "send a file with the next message; alone, list them"),
    "skills": ("", "show the skills that the agent knows here"),
    "model": ("[provider:model]", "show who answers, or choose another"),
    "mode": ("[name]", "show or choose what the agent may do without asking"),
    "help": ("", "show this"),
    "quit": ("", "leave; what runs goes on running"),
}

_MODES = {
    Mode.READ_ONLY: "reads files, runs commands that only read; changes nothing",
    Mode.ASK: "asks before each edit and each command that does more than read",
    Mode.ACCEPT_EDITS: "edits files and runs commands; asks before anything dangerous",
    Mode.EVERYTHING: "asks only about Wakeful's own files; for the operator alone",
}

# A path such as /etc/hosts is not a command.
_COMMAND = re.compile(r"/([a-z]+)(?:\s+(.*))?", re.DOTALL)

_CHOICES = {"y": "once", "yes": "once", "once": "once", "n": "deny", "no": "deny", "deny": "deny"}


def parse_line(text: str) -> Line | None:
    """Return None for an empty line."""
    text = text.strip()
    if text.startswith("!"):
        words = text[1:].strip()
        return Line(LineKind.STEER, words) if words else None
    match = _COMMAND.fullmatch(text)
    if match is None:
        return Line(LineKind.SAY, text) if text else None
    name, argument = match[1], (match[2] or "").strip()
    if name == "steer" and argument:
        return Line(LineKind.STEER, argument)
    return Line(LineKind.COMMAND, argument, name)


def choice_in(text: str) -> str | None:
    """Return the answer to a question, given as a letter or a word. Allowing more than one call takes /allow."""
    return _CHOICES.get(text.strip().lower())


def mode_lines() -> tuple[str, ...]:
    width = max(map(len, _MODES))
    return tuple(f"{mode:<{width}}  {says}" for mode, says in _MODES.items())


def help_lines() -> list[str]:
    calls = [f"/{name} {takes}".rstrip() for name, (takes, _) in COMMANDS.items()]
    width = max(map(len, calls))
    lines = [f"{call:<{width}}  {says}" for call, (_, says) in zip(calls, COMMANDS.values(), strict=True)]
    keys = [
        "Enter sends. During an answer, the message waits for its turn.",
        "Alt-Enter begins a new line. Ctrl-C stops the answer, or clears the line.",
        "Ctrl-D leaves. When the agent asks, y or n in an empty line answers.",
    ]
    return [*lines, "", *keys]
