"""Whether a git command only reads. A repository's own settings may make git run programs, even for `git status`."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from wakeful.tools.commands.reading.plain_script import PlainWord

_VERBS = frozenset(
    [
        "blame",
        "cat-file",
        "count-objects",
        "describe",
        "diff",
        "for-each-ref",
        "grep",
        "log",
        "ls-files",
        "ls-tree",
        "merge-base",
        "name-rev",
        "rev-list",
        "rev-parse",
        "shortlog",
        "show",
        "status",
    ]
)
# Options that write a file or run a program. Their names may be shortened: --output, --ext-diff, --textconv, --filters,
# --batch, --open-files-in-pager.
_NOT_WITH = re.compile(r"--(?!oneline$|others$|objects$|only-matching$)(o|ext|te|fil|ba).*|-[A-Za-z]*O.*")
# Settings that name a program, or a file with more settings.
_RUNS = re.compile(
    r"(?im)fsmonitor|textconv|external|command\s*=|pager|editor|hookspath|^\s*\[\s*include|worktreeconfig|partialclone"
    r"|^\s*(clean|smudge|process|driver|program|helper|sshcommand|gitproxy|promisor)\s*="
)
_HOOKS = ("post-index-change", "fsmonitor-watchman")


def git_only_reads(words: Sequence[PlainWord], folder: str) -> bool:
    """`folder` is where git runs."""
    if not words or words[0].text not in _VERBS or words[0].is_pattern:
        return False
    if any(_NOT_WITH.fullmatch(word.text) or (word.is_pattern and word.text[:1] in "*?[-") for word in words[1:]):
        return False
    return _is_plain_repository(folder)


def _is_plain_repository(folder: str) -> bool:
    """Return whether no setting of the repository around the folder names a program."""
    for above in (Path(folder), *Path(folder).parents):
        if (above / ".git").is_dir():
            return _is_plain(above / ".git")
        if os.path.lexists(above / ".git") or _is_bare(above):
            # A work tree's settings are elsewhere, and those of a bare repository may have come with a download.
            return False
    return True


def _is_plain(repository: Path) -> bool:
    try:
        settings = (repository / "config").read_text(errors="replace")
    except FileNotFoundError:
        settings = ""
    except OSError:
        return False
    # Submodules have settings of their own.
    others = ("config.worktree", "modules", *(f"hooks/{name}" for name in _HOOKS))
    return not _RUNS.search(settings) and not any((repository / name).exists() for name in others)


def _is_bare(folder: Path) -> bool:
    return (folder / "HEAD").exists() and (folder / "objects").is_dir()
