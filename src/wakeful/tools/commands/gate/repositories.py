"""Finds git commands that throw work away, here or in a remote repository, or set what git runs."""

import re
from collections.abc import Iterator

from wakeful.model.approvals.reason_kinds import DELETE_OUTSIDE, DISCARD_WORK, FORCE_PUSH, RUNS_LATER
from wakeful.tools.commands.gate.deleting import in_words
from wakeful.tools.commands.gate.finding import Finding
from wakeful.tools.commands.gate.location import Location
from wakeful.tools.commands.shell.command import SimpleCommand

_WITH_VALUE = ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path")
# Settings that name a program for git to run.
_RUNNING_SETTING = re.compile(
    r"core\.(hookspath|fsmonitor|sshcommand|pager|editor|gitproxy|askpass)|alias\..*|credential(\..*)?\.helper"
    r"|filter\..*|diff\..*\.(textconv|command)|sequence\.editor|gpg\.program|include\.path",
    re.IGNORECASE,
)


def forces_push(command: SimpleCommand, location: Location) -> Iterator[Finding]:
    verb, rest = _verb(command)
    if verb == "push" and (
        command.has_flag("fd", "--force", "--mirror", "--delete") or any(name[:1] in ("+", ":") for name in rest)
    ):
        named = [name for name in rest if not name.startswith("-")]
        yield Finding(
            FORCE_PUSH, f"overwrites what others may have in {named[0] if named else 'the remote repository'}"
        )


def discards_work(command: SimpleCommand, location: Location) -> Iterator[Finding]:
    verb, rest = _verb(command)
    if not _discards(verb, rest, command):
        return
    yield Finding(DISCARD_WORK, "throws away work that was not committed")
    # The files in the folder, not the folder itself: the repository stays.
    for folder in _folders(command):
        for target in location.outside([f"{folder}/*"]):
            yield Finding(DELETE_OUTSIDE, in_words("throws away changes in", target, location), target.folder)


def discards_outside(command: SimpleCommand, location: Location) -> Iterator[Finding]:
    """Yield a finding for each single file too if it is outside of the workspace."""
    verb, rest = _verb(command)
    for operand in _discarded_files(verb, rest, command):
        for target in location.outside([operand], spares_temporary=True):
            yield Finding(DELETE_OUTSIDE, in_words("throws away", target, location), target.folder)


def _discarded_files(verb: str, rest: list[str], command: SimpleCommand) -> list[str]:
    if verb == "worktree" and rest[:1] == ["remove"] and _forces(command):
        names = [word for word in rest[1:] if word[:1] != "-"]
    elif verb == "rm" and not command.has_flag("", "--cached"):
        names = [word for word in rest if word[:1] != "-"]
    elif verb == "checkout" and "--" in rest:
        names = rest[rest.index("--") + 1 :]
    elif verb == "restore" and _restores_files(command) and not _is_whole(rest):
        names = [word for word in rest if word[:1] != "-"]
    else:
        return []
    return [f"{folder}/{name}" if name[:1] != "/" else name for folder in _folders(command) for name in names]


def _forces(command: SimpleCommand) -> bool:
    return bool(command.has_flag("f", "--force"))


def sets_what_git_runs(command: SimpleCommand, location: Location) -> Iterator[Finding]:
    verb, rest = _verb(command)
    words = [word for word in rest if not word.startswith("-")]
    if verb == "config" and len(words) > 1 and _RUNNING_SETTING.fullmatch(words[0]):
        yield Finding(RUNS_LATER, f"sets {words[0]}, which git runs by itself")


def _discards(verb: str, rest: list[str], command: SimpleCommand) -> bool:
    if verb == "reset":
        return command.has_flag("", "--hard", "--merge", "--keep")
    if verb == "clean":
        return command.has_flag("f", "--force") and not command.has_flag("n", "--dry-run")
    if verb in ("checkout", "switch"):
        return command.has_flag("f", "--force", "--discard-changes") or (verb == "checkout" and _is_whole(rest))
    if verb == "restore":
        return _is_whole(rest) and _restores_files(command)
    return verb == "stash" and rest[:1] in (["drop"], ["clear"])


def _restores_files(command: SimpleCommand) -> bool:
    """Return whether `git restore` changes files, and not what is staged alone."""
    return not command.has_flag("S", "--staged") or command.has_flag("W", "--worktree")


def _is_whole(rest: list[str]) -> bool:
    """Return whether the words mean every file, not named ones."""
    return any(word in (".", "./", ":/", "*") for word in rest)


def _folders(command: SimpleCommand) -> list[str]:
    """Return the folders whose files git changes. Each -C is relative to the one before."""
    folder = "."
    words = iter(command.arguments)
    for word in words:
        if word == "-C":
            named = next(words, "")
            folder = named if named.startswith(("/", "~", "$")) else f"{folder}/{named}"
        elif word == "--work-tree":
            folder = next(words, "")
        elif word.startswith("--work-tree="):
            folder = word.partition("=")[2]
        elif word in _WITH_VALUE:
            next(words, None)
        elif not word.startswith("-"):
            break
    trees = [value.partition("=")[2] for value in command.assignments if value.startswith("GIT_WORK_TREE=")]
    return trees or [folder]


def _verb(command: SimpleCommand) -> tuple[str, list[str]]:
    """Return git's subcommand and the words after it."""
    if command.program != "git":
        return "", []
    arguments = command.arguments
    position = 0
    while position < len(arguments) and arguments[position].startswith("-"):
        position += 2 if arguments[position] in _WITH_VALUE else 1
    return "".join(arguments[position : position + 1]), list(arguments[position + 1 :])
