"""The notices about a process that the agent reads."""

from wakeful.model.tasks.notice_text import notice_text
from wakeful.model.tasks.task import Task, TaskOutcome, TaskStatus, WatchMatch
from wakeful.tools.processes.output.output import Output
from wakeful.tools.processes.output.watch import MatchedLine, WatchReport, load_state

TAIL = 4_000
_LINE = 2_000
# The limit for each of several lines.
_LINE_OF_MANY = 500


def process_outcome(task: Task, exit_code: int | None, output: Output) -> TaskOutcome:
    """Return how a process ended. Without an exit code it counts as lost, unless it was killed on purpose."""
    tail, is_cut = output.tail(TAIL)
    remark = _unsearched(load_state(task.watch).skipped)
    said = f"Command: {task.command}\nOutput:\n{_marked(tail, is_cut=is_cut)}{remark}"
    if task.kill_intended:
        status, code, fate = TaskStatus.KILLED, None, "was killed."
    elif exit_code is None:
        fate = "was lost: it is gone without an exit code, so how it ended is unknown."
        status, code = TaskStatus.LOST, None
    else:
        status = TaskStatus.EXITED if exit_code == 0 else TaskStatus.FAILED
        code, fate = exit_code, f"completed (exit code {exit_code})."
    return TaskOutcome(status, code, notice_text(f"Background process {task.id} {fate}", said), tail, is_cut)


def never_ran(task: Task, exit_code: int, reason: str) -> TaskOutcome:
    head = f"Background process {task.id} completed (exit code {exit_code})."
    notice = notice_text(head, f"Command: {task.command}\nOutput:\n{reason}")
    return TaskOutcome(TaskStatus.FAILED, exit_code, notice, reason)


def match_of(task: Task, report: WatchReport, output: Output) -> WatchMatch:
    """Build the notice of a report. It carries the pattern and offset of its newest line, which no other notice has."""
    newest = report.lines[-1]
    limit = _LINE if len(report.lines) == 1 else _LINE_OF_MANY
    lines = [_shown_line(line, output, limit) for line in report.lines]
    shown = "\n".join(lines)
    head = f'Background process {task.id} matched watch pattern "{newest.pattern}".'
    notice = notice_text(head, f"Command: {task.command}\nMatched output:\n{shown}{_remarks(report)}")
    return WatchMatch(newest.pattern, lines[-1], newest.offset, notice)


def _marked(tail: str, *, is_cut: bool) -> str:
    return f"[… cut, these are the last {TAIL:,} characters …]\n{tail}" if is_cut else tail


def _unsearched(skipped: int) -> str:
    return f"\n({skipped:,} bytes of the output came too fast to be searched for watch patterns.)" if skipped else ""


def _shown_line(matched: MatchedLine, output: Output, limit: int) -> str:
    line = output.text(matched.offset, matched.offset + matched.length)
    if line and not line.strip("\N{REPLACEMENT CHARACTER}"):
        return "[… this line has been removed to save disk space …]"
    if len(line) <= limit:
        return line
    # Cut around the pattern, so that it is shown, unless a secret's mask has replaced it.
    start = max(0, line.find(matched.pattern) - limit // 2)
    return line[start : start + limit] + " […]"


def _remarks(report: WatchReport) -> str:
    remarks = _unsearched(report.skipped)
    if report.suppressed:
        remarks += f"\n({report.suppressed:,} earlier matches since the last notice are not shown.)"
    if report.is_last:
        remarks += "\n(Too many matches: this watch is now off. You will be told when the process ends instead.)"
    return remarks
