"""Judges whether a command only reads. Only what is certain counts: an unknown program, option or sign does not."""

import os

from wakeful.tools.commands.reading.git import git_only_reads
from wakeful.tools.commands.reading.plain_script import PlainWord, plain_script
from wakeful.tools.commands.reading.programs import only_reads

# They run what is typed into them, and nothing before that.
_BARE_SHELLS = ("bash", "sh", "dash")
# Each cd may double them.
_MOST_FOLDERS = 64


def command_only_reads(command: str, workdir: str, *, has_terminal: bool = False) -> bool:
    """With a terminal, git shows its output by a pager, which runs commands."""
    commands = plain_script(command)
    if commands is None:
        return False
    # All folders that the shell may be in: a cd may fail, or move only its part of a pipe.
    folders: list[str] | None = None if has_terminal else [workdir, os.path.realpath(workdir)]
    for program, *words in commands:
        if program.text == "cd":
            folders = _moved(folders, words)
        elif not _reads(program, words, folders):
            return False
    return True


def typing_only_reads(shell: str, before: str, new: str, workdir: str) -> bool:
    """Return whether all that was typed into a shell only reads: anything else may have given words another meaning."""
    return shell.strip() in _BARE_SHELLS and command_only_reads(before + new, workdir, has_terminal=True)


def _reads(program: PlainWord, words: list[PlainWord], folders: list[str] | None) -> bool:
    if program.text == "git":
        return folders is not None and all(git_only_reads(words, folder) for folder in folders)
    return only_reads(program.text, words)


def _moved(folders: list[str] | None, words: list[PlainWord]) -> list[str] | None:
    """Return where a shell may be after `cd` with these words; None if that is not certain."""
    if folders is None or len(words) != 1 or words[0].is_pattern or words[0].text.startswith("-"):
        return None
    # A tilde may be quoted, and the shell may have come through a link, which `..` then leads back through or not.
    ways = {words[0].text, os.path.expanduser(words[0].text)}
    paths = [os.path.join(folder, way) for folder in folders for way in ways]
    moved = dict.fromkeys([*folders, *map(os.path.normpath, paths), *map(os.path.realpath, paths)])
    return list(moved) if len(moved) <= _MOST_FOLDERS else None
