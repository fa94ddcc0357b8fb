"""What the agent reads about a process."""

from wakeful.model.tasks.notice_text import notice_text
from wakeful.model.tasks.task import Task, TaskOutcome, TaskStatus, WatchMatch
from wakeful.tools.processes.output.output import Output
from wakeful.tools.processes.output.watch import Found, Hit, load_state

TAIL = 4_000
_LINE = 2_000
# Where there are several lines.
_LINE_OF_MANY = 500


def outcome_of(task: Task, exit_code: int | None, output: Output) -> TaskOutcome:
    """How a process ended that is gone. Without an exit code nobody knows, unless its end was wanted."""
    tail, is_cut = output.tail(TAIL)
    remark = _unsearched(load_state(task.watch).skipped)
    said = f"Command: {task.command}\nOutput:\n{_marked(tail, is_cut=is_cut)}{remark}"
    if task.kill_intended:
        status, code, fate = TaskStatus.KILLED, None, "was killed."
    elif exit_code is None:
        fate = "was lost: it is gone without an exit code, and nobody knows how it ended."
        status, code = TaskStatus.LOST, None
    else:
        status = TaskStatus.EXITED if exit_code == 0 else TaskStatus.FAILED
        code, fate = exit_code, f"completed (exit code {exit_code})."
    return TaskOutcome(status, code, notice_text(f"Background process {task.id} {fate}", said), tail, is_cut)


def never_ran(task: Task, exit_code: int, reason: str) -> TaskOutcome:
    head = f"Background process {task.id} completed (exit code {exit_code})."
    notice = notice_text(head, f"Command: {task.command}\nOutput:\n{reason}")
    return TaskOutcome(TaskStatus.FAILED, exit_code, notice, reason)


def match_of(task: Task, found: Found, output: Output) -> WatchMatch:
    """The notice of one or more lines. Its pattern, line and offset are those of the newest one, which is in no other
    notice.
    """
    newest = found.hits[-1]
    limit = _LINE if len(found.hits) == 1 else _LINE_OF_MANY
    lines = [_shown_line(hit, output, limit) for hit in found.hits]
    shown = "\n".join(lines)
    head = f'Background process {task.id} matched watch pattern "{newest.pattern}".'
    notice = notice_text(head, f"Command: {task.command}\nMatched output:\n{shown}{_remarks(found)}")
    return WatchMatch(newest.pattern, lines[-1], newest.offset, notice)


def _marked(tail: str, *, is_cut: bool) -> str:
    return f"[… cut, these are the last {TAIL:,} characters …]\n{tail}" if is_cut else tail


def _unsearched(skipped: int) -> str:
    return f"\n({skipped:,} bytes of the output came too fast to be searched for watch patterns.)" if skipped else ""


def _shown_line(hit: Hit, output: Output, limit: int) -> str:
    line = output.text(hit.offset, hit.offset + hit.length)
    if line and not line.strip("\N{REPLACEMENT CHARACTER}"):
        return "[… this line was given back to the disk meanwhile …]"
    if len(line) <= limit:
        return line
    # The pattern itself should be seen; a mask may have taken its place.
    start = max(0, line.find(hit.pattern) - limit // 2)
    return line[start : start + limit] + " […]"


def _remarks(found: Found) -> str:
    remarks = _unsearched(found.skipped)
    if found.suppressed:
        remarks += f"\n({found.suppressed:,} earlier matches since the last notice are not shown.)"
    if found.is_last:
        remarks += "\n(Too many matches: this watch is now off. You will be told when the process ends instead.)"
    return remarks
