"""Finds reasons to ask about text that is typed into a running process. It is read as one script with what was typed
before, because an earlier `cd`, half a line or a variable counts; only what the new part adds is a reason.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from wakeful.model.approvals.approval import Reason
from wakeful.model.approvals.reason_kinds import UNCLEAR
from wakeful.tools.commands.gate.databases import DATABASE_CLIENTS
from wakeful.tools.commands.gate.ground import Ground
from wakeful.tools.commands.gate.interpreters import PLAIN_SHELLS, is_elsewhere, is_interpreter, starts_anew
from wakeful.tools.commands.gate.location import Directories
from wakeful.tools.commands.gate.reasons import FoundReason, Scene, reasons_in, reasons_of_commands, without_doubles
from wakeful.tools.commands.gate.walk import Walk
from wakeful.tools.commands.shell.command import SimpleCommand
from wakeful.tools.commands.shell.tokens import Budget
from wakeful.tools.commands.shell.words import commands_in_code, simple_commands

# Keys that do nothing on an empty line: ^C, ^L, ^Z.
_IDLE_KEYS = re.compile(r"(?:(?<=\n)|\A)[\x03\x0c\x1a]+")
# Any other key may edit the line, recall one from the history, or leave the shell.
_KEYS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]|(?<=[^\s])\t")
_LAST_KEY = re.compile(rf"(?s).*(?:{_KEYS.pattern})")
_HISTORY = re.compile(r"(?m)(?:^|[\s;&|(])![!\w?$*^-]|^\^[^\n^]*\^")
_KEYS_REASON = Reason(UNCLEAR, "is typed with keys that edit the line, so what it runs cannot be read")
_LINE_REASON = Reason(UNCLEAR, "continues a line that was edited by keys, so what it runs cannot be read")
_HISTORY_REASON = "repeats a line from the history of the shell, and which one that is cannot be known"


@dataclass(frozen=True, slots=True)
class Typing:
    # The command of the process that reads the text.
    command: str
    before: str
    new: str


@dataclass(frozen=True, slots=True)
class _Start:
    """Where the program that reads the input starts."""

    ground: Ground
    directories: Directories
    programs: frozenset[str]

    def walk(self) -> Walk:
        return Walk(self.ground, self.directories)


def reasons_to_type(typing: Typing, scene: Scene) -> tuple[Reason, ...]:
    """Return the reasons, and none if the program does not run what is typed into it."""
    start = _start_of(typing.command, scene)
    if start is None:
        return ()
    before, is_lost, is_open = _known_part(_lines(typing.before))
    is_empty_line = before.endswith("\n") or not before
    new = _IDLE_KEYS.sub("", _lines(typing.new)) if is_empty_line else _lines(typing.new)
    if is_lost:
        start = replace(start, directories=(None,))
    found = sorted(_found(before, new, start), key=lambda each: each.reach)
    reasons = [*_reasons_of_keys(new, is_open=is_open), *(each.reason for each in found)]
    return without_doubles(replace(each, excerpt=_excerpt_in(typing.new, each.excerpt)) for each in reasons)


def runs_input(command: str, scene: Scene) -> bool:
    """Return whether the command runs what is typed into it."""
    return _start_of(command, scene) is not None


def _start_of(command: str, scene: Scene) -> _Start | None:
    """Return None if the command does not run what is typed into it."""
    ground = scene.ground
    readers: list[SimpleCommand] = []
    directories: list[str | None] = []
    for simple, location in Walk(ground, (str(scene.workdir.absolute()),)).steps(simple_commands(command)):
        if is_interpreter(simple):
            readers.append(simple)
            directories += (None,) if starts_anew(simple) else location.directories
    if not readers:
        return None
    if any(map(is_elsewhere, readers)):
        ground, directories = ground.elsewhere, [None]
    return _Start(ground, tuple(dict.fromkeys(directories)), frozenset(simple.program for simple in readers))


def _lines(typed: str) -> str:
    """Return the text with each carriage return as a newline: a terminal takes both for the end of a line."""
    return typed.replace("\r\n", "\n").replace("\r", "\n")


def _known_part(before: str) -> tuple[str, bool, bool]:
    """Return what was typed after the last unreadable line, whether there is one, and whether it is unfinished."""
    before = _IDLE_KEYS.sub("", before)
    last = _LAST_KEY.match(before)
    if last is None:
        return before, False, False
    end = before.find("\n", last.end())
    return ("", True, True) if end < 0 else (before[end + 1 :], True, False)


def _reasons_of_keys(new: str, *, is_open: bool) -> Iterator[Reason]:
    if _KEYS.search(new):
        yield _KEYS_REASON
    elif is_open:
        yield _LINE_REASON
    for repeated in _HISTORY.finditer(new):
        yield Reason(UNCLEAR, _HISTORY_REASON, None, repeated.group().strip())


def _found(before: str, new: str, start: _Start) -> list[FoundReason]:
    """Read the whole input as one script, then the new lines by themselves, from the folder and variables before them:
    an odd quote in an earlier line must not hide them.
    """
    done, _, half = before.rpartition("\n")
    walk, budget = start.walk(), _budget()
    programs = set(start.programs)
    for simple, _ in walk.steps(simple_commands(done, budget)):
        programs.update([simple.program] if is_interpreter(simple) else [])
    if budget.is_spent:
        # The input is too long to follow, so its folder is unknown.
        return _found(half, new, replace(start, directories=(None,)))
    walk.learn_functions(before + new)
    found = list(reasons_in(before + new, start.walk(), since=len(before), budget=_budget()))
    found += reasons_in(half + new, walk, since=len(half), budget=_budget())
    # A path may be in an earlier line than the call that deletes it.
    code = commands_in_code(before + new, is_shell=programs <= PLAIN_SHELLS)
    found += reasons_of_commands(code, walk, since=len(before))
    for client in programs.intersection(DATABASE_CLIENTS):
        found += reasons_of_commands([_statement(client, before, new)], walk)
    return found


def _statement(client: str, before: str, new: str) -> SimpleCommand:
    """Return the last statement as a command of the client: it may span several lines."""
    return SimpleCommand(client, inputs=(before.rpartition(";")[2] + new,), reach=len(before) + len(new) + 1)


def _budget() -> Budget:
    """Return a budget for the longest input that is kept."""
    return Budget(steps=60_000, commands=4_000)


def _excerpt_in(new: str, excerpt: str) -> str:
    """Return the part of an excerpt that is typed now, if the rest was typed before."""
    if excerpt in new:
        return excerpt
    ends = (excerpt[start:] for start in range(len(excerpt)))
    return next((end for end in ends if new.startswith(end)), "")
