"""The card of a tool call: the tool, its arguments and its result."""

import json
import re
from collections.abc import Sequence
from typing import Any

from wakeful.cli.chat.cards.card import Card, Tone
from wakeful.cli.plain_text import duration, harmless, one_line, output_lines, shortened_lines

_ARGUMENTS_LENGTH = 160
_FIRST_LINES = 2
_LAST_LINES = 4
_FIRST_OF_DIFF = 16
_LAST_OF_DIFF = 4
# The argument that sums up a call; it is shown first, without its name.
_MAIN = ("command", "path", "goal")
# Whole texts, which the diff shows.
_TEXTS = frozenset({"content", "old_text", "new_text", "old_string", "new_string"})
_MCP_NAME = re.compile(r"mcp__([a-z0-9_-]+?)__(.+)")


def tool_card(
    name: str, arguments: str, result: str, seconds: float | None, changes: Sequence[dict[str, Any]] = ()
) -> Card:
    if changes:
        return _change_card(name, arguments, changes)
    answer = _object_in(result)
    if name == "todo" and answer is not None and not _error(answer):
        # The card of the plan shows what it is now.
        return Card(Tone.TOOL, _shown_name(name), "changed the plan")
    lines = shortened_lines(output_lines(_shown(answer, result)), _FIRST_LINES, _LAST_LINES)
    notes = [*_outcome(answer), *([] if seconds is None else [duration(seconds)])]
    has_failed = bool(_error(answer))
    tone = Tone.FAILURE if has_failed else Tone.TOOL
    return Card(tone, call_title(name, arguments), " · ".join(notes), tuple(lines), is_prose=has_failed)


def _change_card(name: str, arguments: str, changes: Sequence[dict[str, Any]]) -> Card:
    counts = ", ".join(f"{_kind_of(change)}+{change['added']:,} −{change['removed']:,}" for change in changes)  # noqa: RUF001
    diff = [line for change in changes for line in _lines_of(change["diff"])]
    lines = shortened_lines(diff, _FIRST_OF_DIFF, _LAST_OF_DIFF)
    note = f"{counts} · undone" if all(change["undone"] for change in changes) else counts
    return Card(Tone.TOOL, call_title(name, arguments), note, tuple(lines), is_diff=True)


def _kind_of(change: dict[str, Any]) -> str:
    return "new, " if change["kind"] == "created" else ""


def _lines_of(diff: str) -> list[str]:
    """Return the lines of a diff without its head, which repeats the path."""
    lines = [harmless(line) for line in diff.split("\n")]
    return lines[2:] if diff.startswith("--- ") else lines


def interrupted_card(name: str, arguments: str) -> Card:
    return Card(Tone.TOOL, call_title(name, arguments), "no result: the turn ended first")


def call_title(name: str, arguments: str) -> str:
    words = _arguments_in_words(arguments)
    if len(words) > _ARGUMENTS_LENGTH:
        words = f"{words[: _ARGUMENTS_LENGTH - 1].rstrip()}…"
    return f"{one_line(_shown_name(name))}  {words}".rstrip()


def _shown_name(name: str) -> str:
    """Return `SERVER · TOOL` for a tool of an MCP server."""
    found = _MCP_NAME.fullmatch(name)
    return f"{found[1]} · {found[2]}" if found else name


def _arguments_in_words(arguments: str) -> str:
    given = _object_in(arguments)
    if given is None:
        return one_line(arguments)
    main = next((name for name in _MAIN if isinstance(given.get(name), str)), "")
    hidden = _TEXTS | {main} if main == "path" else {main}
    more = [
        _argument(name, value) for name, value in given.items() if name not in hidden and value not in (None, False)
    ]
    if goals := _goals(given.get("tasks")):
        return goals
    return " · ".join([*([one_line(given[main])] if main else []), *more])


def _goals(tasks: Any) -> str:
    """Return the goals of a delegation to several sub-agents."""
    goals = [task.get("goal") for task in tasks if isinstance(task, dict)] if isinstance(tasks, list) else []
    return "; ".join(one_line(goal) for goal in goals if isinstance(goal, str))


def _argument(name: str, value: Any) -> str:
    return name if value is True else f"{name}: {_in_words(value)}"


def _in_words(value: Any) -> str:
    return one_line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _outcome(answer: dict[str, Any] | None) -> list[str]:
    if answer is None or _error(answer):
        return []
    if _is_background(answer):
        return [f"runs as {one_line(str(answer['session_id']))}"]
    code = answer.get("exit_code")
    return [] if code is None else [f"exit code {code}"]


def _shown(answer: dict[str, Any] | None, result: str) -> str:
    """Return the output of a command without the JSON around it; any other result as it is."""
    if answer is None:
        return result
    output = answer.get("output")
    if error := _error(answer):
        return f"{output}\n{error}" if isinstance(output, str) and output else error
    if _is_background(answer):
        return str(answer.get("notify_unsupported") or "")
    if isinstance(output, str):
        return output
    if reports := _reports(answer):
        return reports
    return "\n".join(f"{name}: {_in_words(value)}" for name, value in answer.items() if value is not None)


def _reports(answer: dict[str, Any]) -> str:
    """Return a line for each sub-agent of a delegation: its goal, and the first words of what it reported."""
    results = answer.get("results")
    found = [one for one in results if isinstance(one, dict) and "goal" in one] if isinstance(results, list) else []
    return "\n".join(f"{_in_words(one['goal'])}: {_in_words(one.get('result') or one.get('status'))}" for one in found)


def _error(answer: dict[str, Any] | None) -> str:
    error = None if answer is None else answer.get("error")
    return error if isinstance(error, str) else ""


def _is_background(answer: dict[str, Any]) -> bool:
    return "pid" in answer and "session_id" in answer


def _object_in(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
