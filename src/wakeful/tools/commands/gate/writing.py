"""Finds commands that write to devices, the system, files outside of the workspace, or files that run later."""

import os
import re
from collections.abc import Iterator
from itertools import pairwise

from wakeful.model.approvals.reason_kinds import OVERWRITE_DEVICE, RUNS_LATER, WRITE_OUTSIDE, WRITE_TO_SYSTEM
from wakeful.tools.commands.gate.finding import Finding
from wakeful.tools.commands.gate.location import CommandTarget, Location
from wakeful.tools.commands.gate.program_outputs import program_outputs
from wakeful.tools.commands.gate.runs_later import runner_of
from wakeful.tools.commands.shell.command import SimpleCommand, inside_of

_DEVICE = re.compile(r"/dev/(sd|hd|vd|xvd|nvme|mmcblk|disk|mapper|md|dm-|mem)")
_IN_PLACE = re.compile(r"-[nErsuzlpaw0]*i|--in-p")
_TARGET_FOLDER = re.compile(r"-[A-Za-z]*t|--t[a-z-]*")
# The short options that make a program copy whole folders.
_RECURSIVE = {"cp": "rRa", "rsync": "ra", "scp": "r"}
_COPIERS = ("cp", "mv", "ln", "install", "rsync", "scp")
_MAKES_RUNNABLE = re.compile(r"[ugoa]*[+=][rwst]*x.*|[0-7]*[1357][0-7]{0,2}")


def overwrites_device(command: SimpleCommand, location: Location) -> Iterator[Finding]:
    written = [*_dd_target(command), *command.targets]
    if command.program in ("tee", "shred", "cp", "mv"):
        written += command.operands
    for target in written:
        if _DEVICE.match(target):
            yield Finding(OVERWRITE_DEVICE, f"writes to the device {target}", target)


def writes_to_system(command: SimpleCommand, location: Location) -> Iterator[Finding]:
    written = _written(command, location)
    if command.program in ("rm", "unlink", "shred"):
        written += command.operands
    for target in location.system(written):
        yield Finding(
            WRITE_TO_SYSTEM, f"changes {target.shown}, which belongs to the system or is a key of the user", target.path
        )


def overwrites_outside(command: SimpleCommand, location: Location) -> Iterator[Finding]:
    """Yield findings for existing files only: a new file destroys nothing."""
    for target in location.overwritten(_overwritten(command, location)):
        yield Finding(WRITE_OUTSIDE, _overwrites(target), target.folder)


def changes_what_runs_later(command: SimpleCommand, location: Location) -> Iterator[Finding]:
    written = _written(command, location)
    if command.program == "chmod" and any(map(_MAKES_RUNNABLE.fullmatch, command.operands[:1])):
        written += command.operands[1:]
    for operand in dict.fromkeys(written):
        for target in location.targets(operand):
            if runner := runner_of(target.path or operand):
                yield Finding(RUNS_LATER, f"changes {target.shown}, which {runner} by itself", target.path)


def _target_folders(command: SimpleCommand) -> list[str]:
    """Return the folders that are named before the files that go into them: cp -t folder file."""
    if command.program == "rsync":
        return []
    folders = [following for option, following in pairwise(command.arguments) if _TARGET_FOLDER.fullmatch(option)]
    return folders + [option.partition("=")[2] for option in command.options if option.startswith("--t")]


def moved_operands(command: SimpleCommand) -> list[str]:
    """Return what `mv` takes away. Its last operand is where that goes, unless an option says where."""
    folders = _target_folders(command)
    moved = command.operands if folders else command.operands[:-1]
    return [operand for operand in moved if operand not in folders]


def _written(command: SimpleCommand, location: Location) -> list[str]:
    return [*command.targets, *_written_by_program(command, location)]


def _overwritten(command: SimpleCommand, location: Location) -> Iterator[str]:
    yield from (target for target in command.targets if target not in command.appended)
    if _keeps_existing(command):
        return
    written = _written_by_program(command, location)
    yield from written
    if command.has_flag(_RECURSIVE.get(command.program, ""), "--recursive", "--archive"):
        yield from map(inside_of, written if command.program in _RECURSIVE else ())


def _keeps_existing(command: SimpleCommand) -> bool:
    if command.program == "tee":
        return command.has_flag("a", "--append")
    if command.program == "ln":
        return not command.has_flag("f", "--force")
    return command.program in _COPIERS and command.has_flag("n", "--no-clobber")


def _overwrites(target: CommandTarget) -> str:
    if target.path and target.path.endswith("/*"):
        return f"may overwrite files in {target.folder}, which is outside of the workspace"
    return f"overwrites {target.path}, which is outside of the workspace"


def _written_by_program(command: SimpleCommand, location: Location) -> list[str]:
    if command.program in ("tee", "truncate", "sponge"):
        return command.operands
    if command.program == "shred":
        return [] if command.has_flag("u", "--remove") else command.operands
    if command.program in _COPIERS:
        return _copied_to(command, location)
    if command.program in ("sed", "perl") and any(map(_IN_PLACE.match, command.options)):
        return _edited_files(command)
    return [*_dd_target(command), *program_outputs(command)]


def _copied_to(command: SimpleCommand, location: Location) -> list[str]:
    folders = _target_folders(command)
    last = command.operands[-1:] if not folders and len(command.operands) > 1 else []
    names = [_name_there(each, command) for each in command.operands if each not in (*folders, *last)]
    inside = [f"{folder}/{name}" for folder in folders for name in names]
    for to in last:
        is_folder = any(target.path and os.path.isdir(target.path) for target in location.targets(to, follow=True))
        inside += [f"{to}/{name}" for name in names] if is_folder else [to]
    return inside or [*folders, *last]


def _name_there(copied: str, command: SimpleCommand) -> str:
    """Return the name that a copied file gets, "" for the root, whose contents are copied. For rsync a trailing slash
    means the contents of the folder.
    """
    if command.program == "rsync" and copied.endswith("/"):
        return "."
    return os.path.basename(copied.rstrip("/"))


def _edited_files(command: SimpleCommand) -> list[str]:
    """Return the operands without the script, which is the first one unless an option gives it."""
    given = {following for option, following in pairwise(command.arguments) if re.fullmatch(r"-[A-Za-z]*[ef]", option)}
    has_script = given or any(option.startswith(("--expression", "--file")) for option in command.options)
    return [operand for operand in command.operands[0 if has_script else 1 :] if operand not in given]


def _dd_target(command: SimpleCommand) -> list[str]:
    if command.program != "dd":
        return []
    return [argument.removeprefix("of=") for argument in command.arguments if argument.startswith("of=")]
