"""The programs that search: ripgrep where the server finds it, else our own."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache

from wakeful.tools.search.query import LINE_BYTES, Query

_OWN = "wakeful.tools.search.own_search"
# An older one lacks options that are used here.
_OLDEST = (13, 0)
_VERSION = re.compile(r"ripgrep (\d+)\.(\d+)")
# Characters that mean the same in a glob of ripgrep's --type-add, between its other signs, as in ours.
_PLAIN_GLOB = re.compile(r"[\w.*?-]+", re.ASCII)


@cache
def find_ripgrep() -> str | None:
    """Return the path of a ripgrep that can be used. It is looked for once."""
    path = shutil.which("rg")
    if path is None:
        return None
    try:
        answer = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    version = _VERSION.match(answer)
    return path if version and (int(version[1]), int(version[2])) >= _OLDEST else None


def command_for(query: Query, ripgrep: str | None) -> Sequence[str]:
    """Return the command whose output is `PATH NUL LINE : TEXT LF`, with `-` for lines around a match, or, without a
    pattern, `PATH NUL`. Our own search also prints how many matches follow.
    """
    if ripgrep is None:
        return [sys.executable, "-m", _OWN, query.dump()]
    if query.pattern is None:
        return [ripgrep, *_walk(query), "--files", "--null", query.start]
    shape = ["--null", "--no-heading", "--with-filename", "--line-number", "--no-context-separator"]
    shape += [f"--context={query.context}", f"--max-count={query.most}"]
    shape += [f"--max-columns={LINE_BYTES}", "--max-columns-preview"]
    return [ripgrep, *_walk(query), *_READING, *shape, "-e", query.pattern.ripgrep, "--", query.start]


def count_command(query: Query, ripgrep: str, files: Sequence[str]) -> Sequence[str]:
    """Return the command that counts the lines that match: `PATH NUL COUNT LF`."""
    assert query.pattern is not None
    shape = ["--null", "--with-filename", "--count"]
    return [ripgrep, "--no-config", "--no-messages", *_READING, *shape, "-e", query.pattern.ripgrep, "--", *files]


def own_environment() -> dict[str, str]:
    """Return the few variables that a search needs: no key is among them."""
    names = ("PATH", "LANG", "LC_ALL", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH")
    return {name: os.environ[name] for name in names if name in os.environ}


# All bytes of a file are read as they are: which files are text is decided by us.
_READING = ("--text", "--encoding=none", "--color=never", "--no-crlf", "--case-sensitive")


def _walk(query: Query) -> list[str]:
    options = ["--no-config", "--no-messages", "--hidden", "--no-follow", "--glob=!.git"]
    options += [f"--glob=!/{_escaped(path)}" for path in query.closed]
    if query.reads_ignored:
        options.append("--no-ignore")
    else:
        options += ["--no-require-git", "--no-ignore-global", "--no-ignore-exclude"]
    if name_glob := _name_filter(query.glob):
        options += [f"--type-add=wanted:{name_glob}", "--type=wanted"]
    return options


def _name_filter(glob: str) -> str:
    """Return a glob for the names of files that lets through at least what `glob` does; "" for all."""
    name = glob.rpartition("/")[2]
    return name if _PLAIN_GLOB.fullmatch(name) and "**" not in name else ""


def _escaped(path: str) -> str:
    return re.sub(r"([\\*?\[\]{}!])", r"\\\1", path)
