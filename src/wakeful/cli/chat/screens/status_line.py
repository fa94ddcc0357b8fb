"""The status line at the bottom, always one line."""

from dataclasses import dataclass
from time import monotonic

from rich.cells import cell_len, set_cell_size

from wakeful.cli.chat.standing import Standing
from wakeful.cli.lists.job_words import jobs
from wakeful.cli.lists.task_list import elapsed
from wakeful.cli.plain_text import duration, one_line

_GAP = "  "
_NAMED_TASKS = 2
_COMMAND_LENGTH = 24
_SHORTEST_TITLE = 8


@dataclass(frozen=True, slots=True)
class StatusPart:
    text: str
    style: str = ""
    # If the line is too long, the part with the highest rank is dropped first.
    rank: int = 0


def status_line(standing: Standing, width: int) -> list[StatusPart]:
    """Return the parts from left to right. They fit the width, with a gap between them."""
    parts = _parts(standing)
    while len(parts) > 1 and _width(parts) > width:
        last = max(parts, key=lambda part: part.rank)
        kept = [part for part in parts if part is not last]
        room = width - _width(kept) - len(_GAP)
        if room >= _SHORTEST_TITLE:
            return [_cut(part, room) if part is last else part for part in parts]
        parts = kept
    return [_cut(parts[0], width)] if _width(parts) > width else parts


def joined(parts: list[StatusPart]) -> list[tuple[str, str]]:
    """Return the parts and gaps as styled fragments."""
    fragments: list[tuple[str, str]] = []
    for part in parts:
        fragments += [("", _GAP)] if fragments else []
        fragments.append((part.style, part.text))
    return fragments


def _parts(standing: Standing) -> list[StatusPart]:
    parts = [_connection(standing)]
    if standing.approvals:
        parts.append(StatusPart("answer y or n" if standing.may_answer else "needs an answer", "ansiyellow", 1))
    elif standing.is_busy:
        parts.append(StatusPart(f"answering {duration(int(monotonic() - standing.active_since))}", "", 2))
    parts += _tasks(standing)
    if count := len(standing.queued) + len(standing.unsent):
        parts.append(StatusPart(f"{count} queued", "ansicyan", 3))
    if held := [notice for notice in standing.waiting_notices if notice["why"] != "busy"]:
        waits = "has reported and waits" if len(held) == 1 else "have reported and wait"
        parts.append(StatusPart(f"{jobs(len(held))} {waits} for your next message", "ansimagenta", 3))
    parts.append(StatusPart(one_line(standing.model) or "default model", "", 6))
    parts.append(StatusPart(one_line(standing.title) or "new session", "", 7))
    return parts


def _connection(standing: Standing) -> StatusPart:
    return StatusPart("● live", "ansigreen") if standing.is_live else StatusPart("○ reconnecting", "ansired")


def _tasks(standing: Standing) -> list[StatusPart]:
    running = standing.running_tasks
    if not running:
        return []
    named = ", ".join(_task(task) for task in running[:_NAMED_TASKS])
    more = ", …" if len(running) > _NAMED_TASKS else ""
    return [StatusPart(jobs(len(running)), "ansimagenta", 4), StatusPart(named + more, "", 5)]


def _task(task: dict[str, object]) -> str:
    command = one_line(str(task["command"]))
    short = command if len(command) <= _COMMAND_LENGTH else f"{command[: _COMMAND_LENGTH - 1]}…"
    progress = "" if task["progress"] is None else f" {task['progress']} %"
    return f"{short} {duration(int(elapsed(task)))}{progress}"


def _width(parts: list[StatusPart]) -> int:
    return sum(cell_len(part.text) for part in parts) + len(_GAP) * (len(parts) - 1)


def _cut(part: StatusPart, width: int) -> StatusPart:
    """Shorten a part that is wider than this."""
    return StatusPart(f"{set_cell_size(part.text, width - 1).rstrip()}…", part.style, part.rank)
