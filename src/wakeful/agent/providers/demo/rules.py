"""The sentences that the scripted model understands, and the tool call that each leads to."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class DemoRule:
    """The pattern's named groups become arguments of the call, added to the fixed ones."""

    example: str
    pattern: re.Pattern[str]
    tool: str
    fixed: Mapping[str, Any] = field(default_factory=dict)
    # How to convert the arguments that are not plain text.
    shape: Mapping[str, Callable[[str], Any]] = field(default_factory=dict)

    def arguments(self, words: str) -> dict[str, Any] | None:
        match = self.pattern.fullmatch(words.strip())
        if match is None:
            return None
        given = {name: value for name, value in match.groupdict().items() if value is not None}
        return {**self.fixed, **{name: self.shape.get(name, str)(value) for name, value in given.items()}}


def _rule(example: str, pattern: str, tool: str, **details: Any) -> DemoRule:
    return DemoRule(example, re.compile(f"(?:please )?{pattern}", re.IGNORECASE | re.DOTALL), tool, **details)


def _goals(text: str) -> list[dict[str, str]]:
    return [{"goal": part.strip()} for part in text.split(";") if part.strip()]


def _steps(text: str) -> list[dict[str, str]]:
    """Return the items of a list; one with a star before it is done."""
    parts = [part.strip() for part in text.split(";") if part.strip()]
    return [_step(number, part) for number, part in enumerate(parts, start=1)]


def _step(number: int, words: str) -> dict[str, str]:
    return {"id": str(number), "text": words.lstrip("* "), "status": "done" if words.startswith("*") else "pending"}


def _command(text: str) -> str:
    """Remove the backticks around a command; those of a command substitution stay."""
    whole = re.fullmatch(r"`([^`]+)`", text.strip())
    return whole[1] if whole else text


_NOTIFY = {"background": True, "notify_on_complete": True}
_COMMAND = {"command": _command}
# As in "… in the background and tell me when it ends", which this model does anyway.
_TAIL = r"(?:,? and (?:tell|show) me .+?)?[.!]?"

# The first rule that matches is followed.
RULES = (
    _rule("list files", r"list (?:the |all )?files(?: in (?P<path>\S+?))?[.!]?", "list_files"),
    _rule("write FILE: text", r"write (?P<path>[^\s:]+):\s*(?P<content>.+)", "write_file"),
    _rule("edit FILE: OLD -> NEW", r"edit (?P<path>[^\s:]+):\s*(?P<old_text>.+?) -> (?P<new_text>.+)", "edit_file"),
    _rule("show FILE", r"show (?:me )?(?P<path>\S+?\.\w+)[.!]?", "show_file"),
    _rule("search files for WORD", r"search (?:the |all )?files for (?P<pattern>.+?)[.!]?", "search_files"),
    _rule("fetch ADDRESS", r"fetch (?P<url>\S+?)[.!]?", "web_fetch"),
    _rule("plan STEP; STEP", r"plan:? (?P<items>.+)", "todo", shape={"items": _steps}),
    _rule("read FILE", r"read (?:the file )?(?P<path>\S+?)[.!]?", "read_file"),
    _rule(
        "run COMMAND in the background",
        rf"run (?P<command>.+) in the background{_TAIL}",
        "terminal",
        fixed=_NOTIFY,
        shape=_COMMAND,
    ),
    _rule(
        "watch COMMAND for WORD",
        rf"watch (?P<command>.+) for (?P<watch_patterns>\S+?){_TAIL}",
        "terminal",
        fixed={"background": True},
        shape=_COMMAND | {"watch_patterns": lambda word: [word]},
    ),
    _rule("run COMMAND", r"run (?P<command>.+)", "terminal", shape=_COMMAND),
    _rule("list processes", r"list (?:the |all )?processes[.!]?", "process", fixed={"action": "list"}),
    _rule(
        "poll, log, wait for or kill PROCESS",
        r"(?P<action>poll|log|wait|kill)(?: for)? (?P<session_id>(?:proc|del)_\S+?)[.!]?",
        "process",
        shape={"action": str.lower},
    ),
    _rule(
        "delegate GOAL; GOAL in the background",
        rf"delegate (?P<tasks>.+) in the background{_TAIL}",
        "delegate_task",
        fixed={"background": True},
        shape={"tasks": _goals},
    ),
    _rule("delegate GOAL; GOAL", r"delegate (?P<tasks>.+)", "delegate_task", shape={"tasks": _goals}),
)
