"""Words for how a task ended, to follow its command: on the page, in the terminal and in sentences."""

from wakeful.model.tasks.task import TaskKind, TaskStatus

# Exit codes that mean the same in every shell.
_CODES = {
    124: "ran out of time",
    126: "cannot be run",
    127: "was not found",
    130: "was interrupted",
    137: "was killed (exit code 137), most often for want of memory",
    139: "crashed",
    143: "was asked to end",
}
_STATUSES = {
    TaskStatus.RUNNING: "is running",
    TaskStatus.EXITED: "ended well",
    TaskStatus.KILLED: "was stopped",
    TaskStatus.LOST: "was lost when the machine restarted",
}
_COMMAND_WIDTH = 60
_OF_SUB_AGENTS = {TaskStatus.EXITED: "reported", TaskStatus.FAILED: "failed"}


def end_words(status: str, exit_code: int | None, kind: str = TaskKind.PROCESS) -> str:
    """Return words for a sentence: "failed with exit code 2", "ended well", "was not found"."""
    known = TaskStatus(status)
    if kind == TaskKind.DELEGATION and known in _OF_SUB_AGENTS:
        return _OF_SUB_AGENTS[known]
    if known is not TaskStatus.FAILED:
        return _STATUSES[known]
    if exit_code is None:
        return "failed"
    return _CODES.get(exit_code, f"failed with exit code {exit_code}")


def end_label(status: str, exit_code: int | None, kind: str = TaskKind.PROCESS) -> str:
    """Return words for the head of a card, with the exit code apart: "failed · exit code 2"."""
    known = TaskStatus(status)
    verb = "failed" if known is TaskStatus.FAILED else end_words(status, exit_code, kind)
    return verb if exit_code is None or kind == TaskKind.DELEGATION else f"{verb} · exit code {exit_code}"


def short_command(command: str) -> str:
    """Return the command's first line, cut to fit into a sentence."""
    first, newline, _ = command.strip().partition("\n")
    if len(first) <= _COMMAND_WIDTH and not newline:
        return first
    return f"{first[: _COMMAND_WIDTH - 2].rstrip()} …"
