"""The reasons to ask about a change of a file."""

import os
from pathlib import Path

from wakeful.model.approvals.approval import Reason
from wakeful.model.approvals.reason_kinds import EDIT, MEMORY, RUNS_LATER
from wakeful.tools.base import ToolContext
from wakeful.tools.commands.gate.runs_later import runner_of
from wakeful.tools.files.workspace import shown

_MEMORY_FILE = "memory.md"


def edit_reasons(path: Path, named: str, context: ToolContext, home: Path) -> tuple[Reason, ...]:
    """`path` is the file with its links followed, `named` what the call calls it, `home` the server's own folder."""
    name = shown(path, context.workspace)
    edit = Reason(EDIT, f"changes {name}", name, name)
    # Both the path as named and the path with its links followed.
    if runner := runner_of(name) or runner_of(os.path.relpath(os.path.join("/", named), "/")):
        return Reason(RUNS_LATER, f"changes {name}, which {runner} by itself", name, name), edit
    if path.name == _MEMORY_FILE and path.is_relative_to(home.resolve()):
        return Reason(MEMORY, f"changes {_MEMORY_FILE} in a turn that no person has begun", name, name), edit
    return (edit,)
