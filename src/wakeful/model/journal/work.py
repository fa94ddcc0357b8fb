"""How far a sub-agent has come: what it does now, and what it has used so far, together with its own sub-agents."""

from dataclasses import dataclass, field
from typing import Any

import orjson

from wakeful.model.journal.entry import Entry, EntryKind, answer_of, calls_of
from wakeful.model.spend import Spend

# The argument that sums up a call.
_MAIN = ("command", "path", "goal", "query", "url", "pattern", "name", "action")
_MOST_CHARACTERS = 160


@dataclass(frozen=True, slots=True)
class SubAgentWork:
    # The tool that runs, with the argument that sums the call up; empty while the model is asked.
    tool: str = ""
    argument: str = ""
    # The end of what it said last.
    words: str = ""
    # How many answers its model has given.
    steps: int = 0
    spend: Spend = field(default_factory=Spend)
    # How many sub-agents work for it now, at any depth.
    sub_agents: int = 0
    # The model that its delegation chose; empty if it has that of its parent.
    model: str = ""


def call_or_words(step: list[Entry]) -> tuple[str, str, str]:
    """Return the tool, argument and words of the entries of a sub-agent's newest step."""
    answer = next((entry for entry in step if entry.kind is EntryKind.ANSWER), None)
    if answer is None:
        return "", "", ""
    # A result has the number of its call, and no other entry has one.
    finished = {entry.index for entry in step}
    words = _short(answer_of(answer).text, keeps_end=True)
    for index, call in calls_of(answer):
        if index not in finished:
            return call.name, _short(_main_argument(call.arguments)), words
    return "", "", words


def _main_argument(arguments: str) -> str:
    try:
        given: Any = orjson.loads(arguments)
    except orjson.JSONDecodeError:
        return arguments
    if not isinstance(given, dict):
        return arguments
    texts = [given[name] for name in _MAIN if isinstance(given.get(name), str)]
    return next(iter([*texts, *(value for value in given.values() if isinstance(value, str))]), "")


def _short(text: str, *, keeps_end: bool = False) -> str:
    """Return the beginning, or the end, of a text, on one line."""
    part = text[-4 * _MOST_CHARACTERS :] if keeps_end else text[: 4 * _MOST_CHARACTERS]
    line = " ".join(part.split())
    if len(line) <= _MOST_CHARACTERS:
        return line
    return f"…{line[1 - _MOST_CHARACTERS :]}" if keeps_end else f"{line[: _MOST_CHARACTERS - 1]}…"
