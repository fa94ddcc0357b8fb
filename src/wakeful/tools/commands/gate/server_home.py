"""Finds commands that touch the server itself: its folder with key, database and socket, its process, its commands.

Naming one of them is enough. A command that starts above the server's folder may list names (find / -name x) but not
read contents: a recursive grep, copy or archive would read the key too.
"""

import os
import re
import sys
from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import islice

from wakeful.model.approvals.reason_kinds import HOME
from wakeful.tools.commands.gate.finding import Finding
from wakeful.tools.commands.gate.ground import Ground
from wakeful.tools.commands.gate.location import CommandTarget, Location
from wakeful.tools.commands.gate.writing import moved_operands
from wakeful.tools.commands.shell.command import SimpleCommand, starts_of_find
from wakeful.tools.commands.shell.words import only_talks

_OWN_VERBS = frozenset(
    ["key", "login", "logins", "grants", "approvals", "pair", "cron", "backup", "restore", "export", "import", "tidy"]
)
_OWN_FILES = frozenset(["key", "config.toml", "wakeful.db", "wakeful.sock", "host", "tasks", "people", "skills"])
_OWN_NAME = re.compile(r".*wakeful.*|python[\d.]*|uvicorn")
_PROCESS_TOOLS = frozenset(
    [
        "kill",
        "skill",
        "gdb",
        "lldb",
        "strace",
        "ltrace",
        "py-spy",
        "perf",
        "nsenter",
        "reptyr",
        "gcore",
        "prlimit",
        "renice",
        "pmap",
        "lsof",
    ]
)
_RECURSIVE_READERS = {"grep": "rR", "egrep": "rR", "fgrep": "rR", "cp": "rRa", "zip": "r", "scp": "r", "rsync": "ra"}
_ALWAYS_RECURSIVE = frozenset({"rg", "ag", "ack", "tar"})
_SKIPS_HIDDEN = frozenset({"rg", "ag", "ack"})
# They print names and sizes of their operands, no contents.
_NAMES_ONLY = frozenset(
    ["ls", "echo", "printf", "wc", "stat", "du", "file", "dirname", "basename", "realpath", "readlink"]
)
_FIND_WITHIN = re.compile(r"\$\(\s?find ([^\s()]+)")
# Where a path may begin in an option.
_IN_OPTION = re.compile(r"\.{0,2}/|\.\.$|[~$]")
_ADDRESSED = re.compile(r"(?i)file://|(?:unix[\w-]*|g?open|file):(?=[./~])")
# The root and the folder of a command's own process, or of any other.
_THROUGH_PROCESS = re.compile(r"/proc/(?:[^/]+/task/)?[^/]+/(?:root|(?P<cwd>cwd))(?P<to>/.*)")
# A path in the code of a program.
_QUOTED_PATH = re.compile(r"""["']([^"'\s]{0,200}/[^"'\s]{1,200})["']""")
_MOST_QUOTED = 200
# With an operator that changes its value in a way that is not followed.
_VARIABLE = re.compile(r"\$\{WAKEFUL_HOME[^\w}]")
_UNRESOLVED = re.compile(r"\$\([^()]*\)|\$\{[^{}]*\}|\$\w+|`[^`]*`")


def touches_home(command: SimpleCommand, location: Location) -> Iterator[Finding]:
    if target := next(_named(command, location), None):
        # As written in the command: the model reads this, and need not learn the path of the server's folder.
        yield Finding(HOME, f"touches {target.operand}, which belongs to the server itself", target.path)
    elif above := next(_read_through(command, location), None):
        yield Finding(HOME, f"reads or changes all below {above}, where the server keeps its key and its data", above)
    elif process := next(_processes(command), None):
        yield Finding(HOME, f"reaches for the server's own process ({process})")
    elif verb := _own_verb(command):
        yield Finding(HOME, f"runs wakeful {verb}, which manages the server itself")


def _named(command: SimpleCommand, location: Location) -> Iterator[CommandTarget]:
    words = (*command.arguments, *command.sources, *command.assignments, command.program)
    for word in dict.fromkeys(words):
        for part in _paths_in(word):
            yield from (target for target in _homes_of(part, location) if _is_meant(target))
    for word in dict.fromkeys(command.targets):
        yield from _homes_of(word, location)
    if not only_talks(command):
        for text in dict.fromkeys((command.excerpt, *command.arguments, *command.inputs)):
            if found := location.ground.home_names.search(text):
                yield CommandTarget(found.group(), found.group())
            for quoted in islice(_QUOTED_PATH.finditer(text), _MOST_QUOTED):
                yield from _homes_of(quoted[1], location)
    elif found := _VARIABLE.search(" ".join(command.arguments)):
        yield CommandTarget(found.group(), found.group())


def _paths_in(word: str) -> Iterator[str]:
    """Yield the word and what may be a path within it: --file=/x, -f/x, @/x, NAME=/x, file:///x, /proc/1/root/x."""
    yield word.lstrip("@")
    if addressed := _ADDRESSED.match(word):
        yield word[addressed.end() :]
    if through := _THROUGH_PROCESS.match(word):
        yield f"{'.' if through['cwd'] else '/'}{through['to']}"
    if "=" in word:
        yield word.partition("=")[2].lstrip("@")
    if word[:1] == "-" and (start := _IN_OPTION.search(word)):
        yield word[start.start() :]
        # Of -fsub/../x the letter alone is the option.
        yield word[2:]


def _is_meant(target: CommandTarget) -> bool:
    """Return whether a word means a file of the server. In a workspace that is the server's folder any word could be
    one: a bare word counts only if it names one of the server's files or a file that exists.
    """
    # An opening bracket alone is the program `[`.
    is_bare = not re.search(r"[/~*?]|\[.+\]|^\.+$", target.operand)
    is_file = bool(target.operand) and os.path.lexists(target.path or "")
    return not is_bare or target.operand in _OWN_FILES or is_file


def _homes_of(word: str, location: Location) -> Iterator[CommandTarget]:
    if _names_server_process(word):
        yield CommandTarget(word, word)
    yield from (
        target for target in location.targets(word) if target.path and _may_be_home(target.path, location.ground)
    )
    # A link in the workspace may lead to the server's folder.
    followed = location.targets(word, follow=True)
    yield from (target for target in followed if target.path and location.ground.is_home(target.path))


def _may_be_home(path: str, ground: Ground) -> bool:
    """Return whether a path, which may have wildcards, may mean the server's folder or something in it."""
    return any(_may_be(path, home, ground) for home in ground.homes)


def _may_be(path: str, home: str, ground: Ground) -> bool:
    steps, names = path.split("/"), home.split("/")
    if len(steps) < len(names) or not all(map(_matches, names, steps)):
        return False
    return ground.is_home("/".join((home, *steps[len(names) :])))


def _matches(name: str, pattern: str) -> bool:
    # As in a shell: a wildcard does not match a leading dot.
    is_hidden = name.startswith(".") and pattern[:1] in ("*", "?", "[")
    return fnmatchcase(name, pattern) and not is_hidden


def _names_server_process(word: str) -> bool:
    """Return whether the word is a path into the server's /proc folder. Links are not followed: for the command,
    /proc/self is another process than for the server.
    """
    if not word.startswith("/proc/"):
        return False
    path = os.path.normpath(_UNRESOLVED.sub("*", word.replace("$$", "self")))
    steps = path.split("/")
    return len(steps) > 2 and steps[:2] == ["", "proc"] and fnmatchcase(str(os.getpid()), steps[2])


def _read_through(command: SimpleCommand, location: Location) -> Iterator[str]:
    for start in _starts_of_reading(command):
        for target in location.targets(start, follow=True):
            if (
                target.path
                and location.ground.is_above_home(target.path)
                and not _leaves_home_out(command, location.ground)
            ):
                yield target.path


def _starts_of_reading(command: SimpleCommand) -> list[str]:
    program = command.program
    if program not in _NAMES_ONLY and (starts := _starts_of_lists(command)):
        return starts
    if program == "find" and re.search(r"(^| )-(delete|exec|ok)", " ".join(command.arguments)):
        return starts_of_find(command.arguments)
    if program == "mv":
        return moved_operands(command)
    if program in ("rm", "chmod", "chown", "chgrp"):
        return command.operands if command.has_flag("rR", "--recursive") else []
    is_recursive = program in _ALWAYS_RECURSIVE or (
        program in _RECURSIVE_READERS and command.has_flag(_RECURSIVE_READERS[program], "--recursive", "--archive")
    )
    if not is_recursive:
        return []
    # The first operand of a search is its pattern.
    is_search = "grep" in program or program in _SKIPS_HIDDEN
    return (command.operands[1:] or ["."]) if is_search else command.operands


def _starts_of_lists(command: SimpleCommand) -> list[str]:
    """Return where the find starts whose results the command gets, from xargs or a substitution."""
    listed = [word.removesuffix("/*") or "/" for word in command.arguments if command.is_listed and word.endswith("/*")]
    listed += [found[1] for word in command.arguments for found in _FIND_WITHIN.finditer(word)]
    return [start for start in listed if start.startswith(("/", "~", ".."))]


def _leaves_home_out(command: SimpleCommand, ground: Ground) -> bool:
    names = [home.rpartition("/")[2] for home in ground.homes]
    if any(
        name in option for option in command.arguments if "exclu" in option or option.startswith("!") for name in names
    ):
        return True
    is_hidden = all(re.search(r"/\.", home) for home in ground.homes)
    return command.program in _SKIPS_HIDDEN and is_hidden and not command.has_flag("uaz.", "--hidden", "--unrestricted")


def _processes(command: SimpleCommand) -> Iterator[str]:
    if command.program in _PROCESS_TOOLS:
        numbers = (str(os.getpid()), *(str(pid) for pid in [os.getppid()] if pid > 1), "$PPID")
        for argument in command.arguments:
            if any(re.search(rf"(?<!\d){re.escape(number)}(?!\d)", argument) for number in numbers) or (
                "$" in argument and re.search(r"wakeful|uvicorn|(?:pidof|pgrep) python[\d.]*\W*$", argument)
            ):
                yield argument
    elif command.program in ("pkill", "killall"):
        is_whole = command.has_flag("f", "--full")
        yield from (name for name in command.operands if _may_be_own_name(name, is_whole=is_whole))


def _may_be_own_name(pattern: str, *, is_whole: bool) -> bool:
    if _OWN_NAME.fullmatch(pattern):
        return True
    try:
        # With -f the pattern is compared with the whole command line, without it with the program's name.
        return bool(re.search(pattern, " ".join(sys.orig_argv) if is_whole else os.path.basename(sys.orig_argv[0])))
    except re.error:
        return False


def _own_verb(command: SimpleCommand) -> str | None:
    if only_talks(command):
        return None
    words = (command.program, *command.arguments)
    for position, word in enumerate(words[:20]):
        if word.rpartition("/")[2] == "wakeful":
            return next((verb for verb in words[position + 1 :] if verb in _OWN_VERBS), None)
    return None
