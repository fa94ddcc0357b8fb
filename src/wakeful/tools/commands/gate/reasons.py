"""Finds all reasons to ask a person about a command: it cannot be undone, reaches out of the workspace, or harms the
machine. This guards against accidents; it is no wall against a command that is hidden on purpose.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from wakeful.model.approvals.approval import Reason
from wakeful.model.approvals.reason_kinds import HOME
from wakeful.tools.commands.gate.databases import drops_data
from wakeful.tools.commands.gate.deleting import changes_rights_outside, deletes_outside
from wakeful.tools.commands.gate.finding import Rule
from wakeful.tools.commands.gate.ground import Ground, ground_of
from wakeful.tools.commands.gate.machine import (
    drops_schedules,
    formats_disk,
    is_unclear,
    kills_everything,
    removes_user,
    stops_machine,
    stops_service,
)
from wakeful.tools.commands.gate.repositories import discards_outside, discards_work, forces_push, sets_what_git_runs
from wakeful.tools.commands.gate.server_home import touches_home
from wakeful.tools.commands.gate.walk import Walk
from wakeful.tools.commands.gate.whole_text import reasons_of_text
from wakeful.tools.commands.gate.writing import (
    changes_what_runs_later,
    overwrites_device,
    overwrites_outside,
    writes_to_system,
)
from wakeful.tools.commands.shell.command import SimpleCommand
from wakeful.tools.commands.shell.tokens import Budget
from wakeful.tools.commands.shell.words import simple_commands

_RULES: Sequence[Rule] = (
    deletes_outside,
    formats_disk,
    overwrites_device,
    writes_to_system,
    overwrites_outside,
    changes_what_runs_later,
    changes_rights_outside,
    stops_machine,
    stops_service,
    kills_everything,
    forces_push,
    discards_work,
    discards_outside,
    sets_what_git_runs,
    drops_data,
    drops_schedules,
    removes_user,
    touches_home,
    is_unclear,
)
_MOST_REASONS = 50


@dataclass(frozen=True, slots=True)
class Scene:
    """Where a command is to run: its folder, the session's workspace, the server's own folder, and the folders inside
    of that which are open to the session.
    """

    workdir: Path
    workspace: Path
    home: Path
    opened: tuple[Path, ...] = ()

    @property
    def ground(self) -> Ground:
        return ground_of(self.workspace, self.home, self.opened)


@dataclass(frozen=True, slots=True)
class FoundReason:
    reason: Reason
    # Where the command that it was found in ends in the text.
    reach: int


def find_reasons(command: str, scene: Scene) -> tuple[Reason, ...]:
    """Return all reasons in the order of the text, and none if the command seems harmless."""
    ground, folder = scene.ground, str(scene.workdir.absolute())
    found = sorted(reasons_in(command, Walk(ground, (folder,))), key=lambda each: each.reach)
    if ground.is_home(folder) and folder != ground.workspace:
        found.insert(0, FoundReason(_home_reason(folder), 0))
    return without_doubles(each.reason for each in found)


def reasons_in(text: str, walk: Walk, *, since: int = -1, budget: Budget | None = None) -> Iterator[FoundReason]:
    """Yield the reasons in a text that a shell runs from where the walk stands. Commands that end before `since` only
    move the walk.
    """
    walk.learn_functions(text)
    for reason, end in reasons_of_text(text):
        if end > since:
            yield FoundReason(reason, end)
    yield from reasons_of_commands(simple_commands(text, budget), walk, since=since)


def reasons_of_commands(commands: Iterable[SimpleCommand], walk: Walk, *, since: int = -1) -> Iterator[FoundReason]:
    for command, location in walk.steps(commands):
        for rule in _RULES if command.reach > since else ():
            for finding in rule(command, location):
                reason = Reason(finding.kind, _printable(finding.reason), finding.path, command.excerpt)
                yield FoundReason(reason, command.reach)


def _printable(words: str) -> str:
    """Replace control characters, which a terminal would obey."""
    return "".join(letter if letter.isprintable() else "?" for letter in words)


def without_doubles(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    """Drop repeated reasons. Above the limit, only the first of each further kind is kept."""
    different: dict[tuple[str, str | None], Reason] = {}
    kinds: set[str] = set()
    for reason in reasons:
        if len(different) < _MOST_REASONS or reason.kind not in kinds:
            different.setdefault((reason.kind, reason.path), reason)
            kinds.add(reason.kind)
    return tuple(different.values())


def _home_reason(folder: str) -> Reason:
    return Reason(HOME, f"runs in {folder}, which belongs to the server itself", folder)
