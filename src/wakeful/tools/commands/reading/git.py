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
# Options that write a file, run a program, or run git in a submodule. Their names may be shortened: --output,
# --ext-diff, --textconv, --filters, --batch, --open-files-in-pager, --submodule, --recurse-submodules.
_NOT_WITH = re.compile(r"--(?!oneline$|others$|objects$|only-matching$)(o|ext|te|t$|fil|fi$|ba|sub|rec).*|-\w*O.*")
# Settings that name a program, or a file with more settings. A section and a setting may stand in one line, and a
# setting without a value is true.
_RUNS = re.compile(
    r"(?i)fsmonitor|textconv|external|command\s*=|pager|editor|hookspath|\[\s*include|worktreeconfig|partialclone|promisor"
    r"|submodule|uploadpack|\b(clean|smudge|process|driver|program|helper|sshcommand|gitproxy)\s*="
)
_HOOKS = ("post-index-change", "fsmonitor-watchman")
# The mode of a repository within the repository, as the index writes it.
_WITHIN = b"\x00\x00\xe0\x00"


def git_only_reads(words: Sequence[PlainWord], folder: str) -> bool:
    """`folder` is where git runs."""
    if not words or words[0].text not in _VERBS:
        return False
    if any(_NOT_WITH.fullmatch(word.text) or (word.is_pattern and word.text[:1] in "*?[-") for word in words[1:]):
        return False
    return _is_plain_repository(folder)


def _is_plain_repository(folder: str) -> bool:
    """Return whether no setting of the repositories around the folder names a program. All of them are looked at: git
    passes over a .git that is no repository.
    """
    # git goes up from the folder that a link leads to.
    real = Path(os.path.realpath(folder))
    return all(_is_plain(above / ".git") and not _is_bare(above) for above in (real, *real.parents))


def _is_plain(repository: Path) -> bool:
    if not os.path.lexists(repository):
        return True
    try:
        settings = _bytes_of(repository / "config").decode(errors="replace")
        index = _bytes_of(repository / "index")
    except OSError:
        # It is a work tree, whose settings are elsewhere.
        return False
    # Submodules have settings of their own, and an index may be in two files.
    others = ("commondir", "config.worktree", "modules", *(f"hooks/{name}" for name in _HOOKS))
    has_others = any(os.path.lexists(repository / name) for name in others) or any(repository.glob("sharedindex.*"))
    return not (_RUNS.search(settings) or _WITHIN in index or has_others)


def _bytes_of(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return b""


def _is_bare(folder: Path) -> bool:
    """Return whether git may take the folder for a repository: its settings may have come with a download."""
    return os.path.lexists(folder / "HEAD")
