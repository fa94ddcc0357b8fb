"""Files that other programs run by themselves: who writes there runs something later, unasked."""

_FOLDERS = {".git": "git reads and runs", ".husky": "git runs", ".vscode": "the editor reads and runs"}
_FILES = {".envrc": "direnv runs"}
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
    """Who runs this file, as "git runs"; None when it is a file like any other."""
    # Some file systems know no difference between large and small letters.
    steps = [step for step in path.lower().split("/") if step]
    for step in steps[:-1] or steps:
        if step in _FOLDERS:
            return _FOLDERS[step]
    name = steps[-1] if steps else ""
    if name in _START_UP:
        return "every new shell runs"
    return _FOLDERS.get(name) or _FILES.get(name)
