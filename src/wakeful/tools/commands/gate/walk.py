"""Walks through the commands of a script as a shell would: from folder to folder, with the values of variables.

Where the walk cannot know which branch a shell takes, it takes both.
"""

import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from wakeful.tools.commands.gate.ground import Ground
from wakeful.tools.commands.gate.location import MADE_HERE, CommandTarget, Directories, Location
from wakeful.tools.commands.shell.carriers import carried
from wakeful.tools.commands.shell.command import SimpleCommand
from wakeful.tools.commands.shell.loose_words import UNKNOWN
from wakeful.tools.commands.shell.variables import Variables
from wakeful.tools.commands.shell.words import program_of

LocatedCommand = tuple[SimpleCommand, Location]

_DECLARING = frozenset({"export", "declare", "local", "readonly", "typeset"})
_READING = frozenset({"read", "mapfile", "readarray", "getopts"})
_CHANGING = re.compile(r"([\w.]+\.)?chdir")
_FUNCTION = re.compile(r"(?<![\w-])(?:function\s+([\w-]{1,60})|([\w-]{1,60})\s?\(\))")
_MOVES = re.compile(r"\b(?:cd|pushd|popd)\b")
_DEEPEST_LOOP = 12
# The first leaves the case; the others may go on to its next way.
_END_OF_WAY = (";;", ";;&", ";&")
# What these programs print: a new temporary folder, or one unknown name.
_OUTPUTS = {"mktemp": MADE_HERE, "date": "*", "uname": "*", "arch": "*", "nproc": "*", "whoami": "*", "hostname": "*"}


@dataclass(slots=True)
class _Folders:
    """The folders that one shell may be in."""

    now: Directories
    before: Directories = (None,)
    stack: list[Directories] = field(default_factory=list)
    # Where the shell is if a cd of this && chain failed or was never reached.
    otherwise: Directories = ()
    # The destination of a cd whose failure is handled next: cd x || exit.
    hoped: Directories = ()
    # The operator before the command.
    operator: str = ";"
    # For each open branch, innermost last: the folder at its start, then at the end of each way.
    branches: list[list[Directories]] = field(default_factory=list)


@dataclass(slots=True)
class _Loop:
    begin: Directories
    steps: list[SimpleCommand] = field(default_factory=list)


class Walk:
    def __init__(self, ground: Ground, directories: Directories) -> None:
        self._location = Location(ground, directories)
        self._shells: dict[tuple[int, ...], _Folders] = {(): _Folders(directories)}
        self._variables = Variables(_known_variables(ground), _OUTPUTS)
        self._aliases: dict[str, str] = {}
        self._moving: set[str] = set()
        self._made: set[str] = set()
        self._loops: list[_Loop] = []

    def learn_functions(self, text: str) -> None:
        """Remember functions that may change the folder: calling one makes the folder unknown."""
        if _MOVES.search(text):
            self._moving.update(found[1] or found[2] for found in _FUNCTION.finditer(text))

    def steps(self, commands: Iterable[SimpleCommand]) -> Iterator[LocatedCommand]:
        for command in commands:
            folders = self._folders(command.shell)
            yield from self._cross_loops(command, folders)
            _cross_branches(command, folders)
            for known in self._known(command, folders.now):
                yield known, self._location_of(known, folders)
                for loop in self._loops:
                    loop.steps.append(known)
                self._remember(known, folders)
            if command.separator != "&&":
                folders.now = _together(folders.now, folders.otherwise)
                folders.otherwise = ()
            if command.separator in _END_OF_WAY:
                _end_way(folders, goes_on=command.separator != ";;")
            folders.operator = command.separator

    def _location_of(self, command: SimpleCommand, folders: _Folders) -> Location:
        if command.is_elsewhere:
            return Location(self._location.ground.elsewhere, (None,))
        location = self._location.at(folders.now)
        if not command.workdir:
            return location
        named = self._variables.expand(command.workdir, folders.now)
        return location.at(tuple(target.path for word in named for target in location.targets(word, follow=True)))

    def _folders(self, shell: tuple[int, ...]) -> _Folders:
        """Return the state of a shell. A new one starts where the shell around it is."""
        around = shell
        while around not in self._shells:
            around = around[:-1]
        if around != shell:
            self._shells[shell] = _Folders(self._shells[around].now)
        return self._shells[shell]

    def _cross_loops(self, command: SimpleCommand, folders: _Folders) -> Iterator[LocatedCommand]:
        for mark in command.marks:
            if mark == "do" and len(self._loops) < _DEEPEST_LOOP:
                self._loops.append(_Loop(folders.now))
            elif mark == "done" and self._loops:
                loop = self._loops.pop()
                if folders.now != loop.begin:
                    # The second round starts where the first one ended, and so on.
                    folders.now = (None,)
                    yield from ((step, self._location.at((None,))) for step in loop.steps)

    def _known(self, command: SimpleCommand, directories: Directories) -> Iterator[SimpleCommand]:
        """Yield the command with its variables expanded, once for each program that it may run."""
        if command.program in self._aliases:
            words = [*self._aliases[command.program].split(), *command.arguments]
            command = replace(command, program=program_of(carried(words)), arguments=tuple(carried(words)[1:]))
        if not _has_variable(command):
            yield command
            return
        arguments = [value for word in command.arguments for value in self._values(word, directories)]
        for program in self._variables.expand(command.program, directories):
            words = carried([*program.split(), *arguments]) if program != command.program else [program, *arguments]
            yield replace(
                command,
                program=program_of(words) if program != command.program else program,
                arguments=tuple(words[1:]),
                targets=self._all_values(command.targets, directories),
                appended=self._all_values(command.appended, directories),
                sources=self._all_values(command.sources, directories),
            )

    def _all_values(self, words: Sequence[str], directories: Directories) -> tuple[str, ...]:
        return tuple(value for word in words for value in self._values(word, directories))

    def _values(self, word: str, directories: Directories) -> list[str]:
        values = self._variables.expand(word, directories)
        if values == [word] or re.search(r"\s", word):
            return values
        # A value with blanks becomes several words, unless it is quoted.
        return [part for value in values for part in (value.split() if " " in value else [value])]

    def _remember(self, command: SimpleCommand, folders: _Folders) -> None:
        for assignment in command.assignments:
            self._variables.assign(assignment, folders.now)
        if command.program in _DECLARING:
            for operand in command.operands:
                self._variables.assign(operand, folders.now)
        elif command.program in _READING:
            for name in command.operands:
                self._variables.add(name, command.fed or (UNKNOWN,))
        elif command.program in ("for", "select"):
            listed = command.arguments[2:] if command.arguments[1:2] == ("in",) else (UNKNOWN,)
            self._variables.add("".join(command.arguments[:1]), listed)
        elif command.program == "unset":
            for name in command.operands:
                self._variables.add(name, ("",))
        elif command.program == "alias":
            self._aliases.update(text.partition("=")[::2] for text in command.operands if "=" in text)
        elif command.program in ("mkdir", "git"):
            made = (target.path for word in _made_by(command) for target in self._targets(word, folders))
            self._made.update(path for path in made if path)
        else:
            self._move(command, folders)

    def _move(self, command: SimpleCommand, folders: _Folders) -> None:
        if command.program in self._moving or _CHANGING.fullmatch(command.program):
            folders.now = (None,)
        elif command.program == "popd":
            self._go(folders.stack.pop() if folders.stack else (None,), folders, command)
        elif command.program == "pushd":
            folders.stack.append(folders.now)
            self._go(self._destination(command, folders), folders, command)
        elif command.program == "cd":
            self._go(self._destination(command, folders), folders, command)
        elif command.program in ("exit", "return") and folders.operator == "||" and folders.hoped:
            folders.now = folders.hoped

    def _destination(self, command: SimpleCommand, folders: _Folders) -> Directories:
        if command.arguments[-1:] == ("-",):
            return folders.before
        if command.program == "pushd" and not command.operands:
            return (None,)
        operand = command.operands[0] if command.operands else "~"
        return tuple(target.path for target in self._targets(operand, folders))

    def _targets(self, word: str, folders: _Folders) -> Iterator[CommandTarget]:
        return iter(self._location.at(folders.now).targets(word, follow=True))

    def _go(self, to: Directories, folders: _Folders, command: SimpleCommand) -> None:
        stays = folders.now
        folders.before = folders.now
        folders.now = to
        is_alone = command.is_piped or command.separator in ("|", "|&", "&")
        is_sure = all(map(self._exists, to)) and folders.operator not in ("&&", "||")
        if is_alone or not is_sure:
            if command.separator == "&&":
                folders.otherwise = (*folders.otherwise, *stays)
            else:
                folders.now = _together(to, stays)
        folders.hoped = to if command.separator == "||" else ()

    def _exists(self, directory: str | None) -> bool:
        """Return whether the folder exists or the script makes it. A pattern counts: a loop visits its matches."""
        if directory is None or directory in self._made or directory.startswith(MADE_HERE):
            return True
        return bool(re.search(r"[*?\[]", directory)) or os.path.isdir(directory)


def _cross_branches(command: SimpleCommand, folders: _Folders) -> None:
    """After a branch the shell may be wherever one of its ways has led."""
    branches = folders.branches
    for mark in command.marks:
        if mark == "then":
            branches.append([folders.now])
        elif mark in ("else", "elif") and branches:
            branches[-1].append(folders.now)
            folders.now = branches[-1][0]
            if mark == "elif":
                # The `then` of this elif opens a new branch, which starts from all of these.
                folders.now = _together(folders.now, *branches.pop())
        elif mark in ("fi", "esac") and branches:
            folders.now = _together(folders.now, *branches.pop())
    if command.program == "case":
        branches.append([folders.now])


def _end_way(folders: _Folders, *, goes_on: bool) -> None:
    """The next way of a case starts where the case does; it may also start at the end of this one, if that goes on."""
    if folders.branches:
        start, *_ = folders.branches[-1]
        folders.branches[-1].append(folders.now)
        folders.now = _together(start, folders.now) if goes_on else start


def _made_by(command: SimpleCommand) -> Sequence[str]:
    """Return the folders that the command creates."""
    if command.program == "mkdir":
        return command.operands
    verb, *words = command.operands or [""]
    if verb != "clone" or not words:
        return ()
    return words[1:] or [words[0].rstrip("/").rpartition("/")[2].removesuffix(".git")]


def _together(*ways: Directories) -> Directories:
    return tuple(dict.fromkeys(directory for way in ways for directory in way))


def _has_variable(command: SimpleCommand) -> bool:
    words = (command.program, *command.arguments, *command.targets, *command.sources)
    return any("$" in word for word in words)


def _known_variables(ground: Ground) -> dict[str, tuple[str, ...]]:
    return {
        "HOME": (os.path.expanduser("~"),),
        "TMPDIR": (tempfile.gettempdir(),),
        "WAKEFUL_HOME": tuple(ground.homes),
    }
