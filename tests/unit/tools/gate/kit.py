"""A gate's view of a command, in few words."""

from pathlib import Path

from tests.unit.tools.kit import HOME
from wakeful.model.approval import Reason
from wakeful.tools.gate.reasons import Scene, find_reasons


def reasons_of(command: str, workdir: Path, workspace: Path, home: Path = HOME) -> tuple[Reason, ...]:
    return find_reasons(command, Scene(workdir, workspace, home))


def kinds_of(command: str, workdir: Path, workspace: Path, home: Path = HOME) -> list[str]:
    return list(dict.fromkeys(reason.kind for reason in reasons_of(command, workdir, workspace, home)))
