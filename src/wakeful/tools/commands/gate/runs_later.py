"""Recognises files that other programs run by themselves: writing to one runs something later, without a question."""

from itertools import pairwise

_FOLDERS = {".git": "git reads and runs", ".husky": "git runs", ".vscode": "the editor reads and runs"}
# Folders of which two steps tell what they are.
_INNER_FOLDERS = {
    (".config", "git"): "git reads and runs",
    (".config", "fish"): "every new shell runs",
    (".config", "systemd"): "systemd reads and runs",
    (".config", "autostart"): "the desktop runs",
}
_FILES = {
    ".envrc": "direnv runs",
    ".gitconfig": "git reads and runs",
    "sitecustomize.py": "every new Python runs",
    "usercustomize.py": "every new Python runs",
}
_START_UP = frozenset(
    [
        ".bashrc",
        ".bash_profile",
        ".bash_login",
        ".bash_logout",
        ".bash_aliases",
        ".profile",
        ".zshrc",
        ".zprofile",
        ".zshenv",
        ".zlogin",
        ".zlogout",
        ".kshrc",
        ".cshrc",
        ".tcshrc",
        ".login",
        ".xprofile",
        ".xsession",
        ".xinitrc",
        "config.fish",
    ]
)


def runner_of(path: str) -> str | None:
    """Return which program runs this file, such as "git runs", or None for an ordinary file."""
    # Some file systems ignore case.
    steps = [step for step in path.lower().split("/") if step]
    for step in steps[:-1] or steps:
        if step in _FOLDERS:
            return _FOLDERS[step]
    for pair in pairwise(steps):
        if pair in _INNER_FOLDERS:
            return _INNER_FOLDERS[pair]
    name = steps[-1] if steps else ""
    if name in _START_UP:
        return "every new shell runs"
    return _FOLDERS.get(name) or _FILES.get(name)
