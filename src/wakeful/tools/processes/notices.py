"""What the agent reads about a process."""

from wakeful.model.task import Task, TaskOutcome, TaskStatus, WatchMatch
from wakeful.tools.processes.output import Output
from wakeful.tools.processes.watch import Found

TAIL = 4_000
_LINE = 2_000


def outcome_of(task: Task, exit_code: int | None, output: Output) -> TaskOutcome:
    """How a process ended that is gone. Without an exit code nobody knows, unless its end was wanted."""
    tail, is_cut = output.tail(TAIL)
    said = f"Command: {task.command}\nOutput:\n{_marked(tail, is_cut=is_cut)}]"
    if task.kill_intended:
        return TaskOutcome(
            TaskStatus.KILLED, None, f"[IMPORTANT: Background process {task.id} was killed.\n{said}", tail
        )
    if exit_code is None:
        fate = "was lost: it is gone without an exit code, and nobody knows how it ended."
        return TaskOutcome(TaskStatus.LOST, None, f"[IMPORTANT: Background process {task.id} {fate}\n{said}", tail)
    status = TaskStatus.EXITED if exit_code == 0 else TaskStatus.FAILED
    notice = f"[IMPORTANT: Background process {task.id} completed (exit code {exit_code}).\n{said}"
    return TaskOutcome(status, exit_code, notice, tail)


def never_ran(task: Task, exit_code: int, reason: str) -> TaskOutcome:
    notice = (
        f"[IMPORTANT: Background process {task.id} completed (exit code {exit_code}).\n"
        f"Command: {task.command}\nOutput:\n{reason}]"
    )
    return TaskOutcome(TaskStatus.FAILED, exit_code, notice, reason)


def match_of(task: Task, found: Found, output: Output) -> WatchMatch:
    line = _shown_line(found, output)
    notice = (
        f'[IMPORTANT: Background process {task.id} matched watch pattern "{found.pattern}".\n'
        f"Command: {task.command}\nMatched output:\n{line}{_remarks(found)}]"
    )
    return WatchMatch(found.pattern, line, found.offset, notice)


def _marked(tail: str, *, is_cut: bool) -> str:
    return f"[… cut, these are the last {TAIL:,} characters …]\n{tail}" if is_cut else tail


def _shown_line(found: Found, output: Output) -> str:
    line = output.text(found.offset, found.offset + len(found.line))
    if len(line) <= _LINE:
        return line
    # The pattern itself should be seen; a mask may have taken its place.
    start = max(0, line.find(found.pattern) - _LINE // 2)
    return line[start : start + _LINE] + " […]"


def _remarks(found: Found) -> str:
    remarks = ""
    if found.suppressed:
        remarks += f"\n({found.suppressed} more matches since the last notice were not told.)"
    if found.is_last:
        remarks += "\n(Too many matches: this watch is now off. You will be told when the process ends instead.)"
    return remarks
