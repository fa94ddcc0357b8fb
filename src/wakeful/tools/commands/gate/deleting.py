"""Finds commands that delete, move away or change the rights of files outside of the workspace."""

import re
from collections.abc import Iterator
from itertools import takewhile

from wakeful.model.approvals.reason_kinds import DELETE_OUTSIDE, RIGHTS_OUTSIDE
from wakeful.tools.commands.gate.finding import Finding
from wakeful.tools.commands.gate.location import CommandTarget, Location
from wakeful.tools.commands.gate.writing import moved_operands
from wakeful.tools.commands.shell.command import SimpleCommand, inside_of, starts_of_find
from wakeful.tools.commands.shell.loose_words import UNKNOWN

_FIND_DELETES = re.compile(r"(^| )-(delete\b|(exec|ok)(dir)? (\S*/)?(rm|unlink|shred|rmdir|mv)\b)")
_FD_RUNS = ("-x", "-X", "--exec", "--exec-batch")
_FD_DELETES = re.compile(r"(^| )(-x|-X|--exec(-batch)?) (\S*/)?(rm|unlink|shred|rmdir)\b")


def deletes_outside(command: SimpleCommand, location: Location) -> Iterator[Finding]:
    for target in _deleted(command, location):
        yield Finding(DELETE_OUTSIDE, in_words("deletes", target, location), target.folder)
    for target in _moved_away(command, location):
        yield Finding(DELETE_OUTSIDE, in_words("takes away", target, location), target.folder)


def changes_rights_outside(command: SimpleCommand, location: Location) -> Iterator[Finding]:
    if command.program not in ("chmod", "chown", "chgrp") or not command.has_flag("R", "--recursive"):
        return
    has_own_word = not any(re.fullmatch(r"-[rwxXst]+|--reference=.*", option) for option in command.options)
    for target in location.outside(map(inside_of, command.operands[1 if has_own_word else 0 :])):
        yield Finding(RIGHTS_OUTSIDE, in_words("changes the rights of", target, location), target.folder)


def in_words(verb: str, target: CommandTarget, location: Location) -> str:
    """Return the words for a finding: what is hit, and why that matters."""
    if target.path is None:
        what = "files that its text does not name" if UNKNOWN in target.operand else target.operand
        return f"{verb} {what}, and where that is cannot be known"
    if target.path == location.ground.workspace:
        return f"{verb} the workspace itself"
    why = (
        "belongs to the system"
        if target.path.startswith(f"{location.ground.workspace}/")
        else "is outside of the workspace"
    )
    return f"{verb} {target.shown}, which {why}"


def _deleted(command: SimpleCommand, location: Location) -> Iterator[CommandTarget]:
    program = command.program
    if program in ("rm", "rimraf", "unlink", "rmdir") or (program == "shred" and command.has_flag("u", "--remove")):
        is_sweeping = program == "rimraf" or command.is_listed or command.has_flag("rR", "--recursive")
        yield from location.outside(command.operands, spares_temporary=not is_sweeping or program == "rmdir")
    elif program == "find" and _FIND_DELETES.search(" ".join(command.arguments)):
        yield from location.outside(map(inside_of, starts_of_find(command.arguments)))
    elif program == "rsync" and any(re.match(r"--del(ete)?\b", option) for option in command.options):
        yield from _mirrored(command.operands[-1:], location)
    elif program == "tar" and command.has_flag("", "--remove-files"):
        yield from location.outside(command.operands)
    elif program in ("fd", "fdfind") and _FD_DELETES.search(" ".join(command.arguments)):
        yield from location.outside(map(inside_of, _starts_of_fd(command)))


def _starts_of_fd(command: SimpleCommand) -> list[str]:
    """Return the folders that fd searches: the words between its pattern and the command that it runs."""
    words = takewhile(lambda word: word not in _FD_RUNS, command.arguments)
    return [word for word in words if not word.startswith("-")][1:] or ["."]


def _mirrored(targets: list[str], location: Location) -> Iterator[CommandTarget]:
    for to in targets:
        if ":" in to:
            yield CommandTarget(to, None)
        else:
            yield from location.outside([inside_of(to)])


def _moved_away(command: SimpleCommand, location: Location) -> Iterator[CommandTarget]:
    if command.program == "mv" and not command.is_listed:
        moved = location.outside(moved_operands(command), spares_temporary=True)
        yield from (target for target in moved if target.path is not None)
    elif command.program == "rsync" and command.has_flag("", "--remove-source-files"):
        here = (name for name in command.operands[:-1] if ":" not in name)
        yield from location.outside(map(inside_of, here), spares_temporary=True)
    elif command.program == "zip" and command.has_flag("m", "--move"):
        yield from location.outside(command.operands[1:], spares_temporary=True)
