"""Files that other programs run by themselves."""

import pytest

from wakeful.tools.commands.gate.runs_later import runner_of


@pytest.mark.parametrize(
    ("path", "runner"),
    [
        ("/a/.git/hooks/pre-commit", "git reads and runs"),
        ("/a/.git", "git reads and runs"),
        (".git", "git reads and runs"),
        (".GIT/config", "git reads and runs"),
        ("a/.husky/x", "git runs"),
        (".vscode/tasks.json", "the editor reads and runs"),
        ("/a/.config/git/x", "git reads and runs"),
        ("/a/.config/fish", "every new shell runs"),
        (".config/systemd/user/x", "systemd reads and runs"),
        (".config/x/git", None),
        ("config/git/x", None),
        ("a/.bashrc", "every new shell runs"),
        (".bashrc/x", None),
        (".ZSHRC", "every new shell runs"),
        ("a/.envrc", "direnv runs"),
        ("sitecustomize.py", "every new Python runs"),
        (".gitignore", None),
        ("a.git/x", None),
        ("/", None),
        ("", None),
    ],
)
def test_the_path_tells_what_runs_it(path: str, runner: str | None) -> None:
    assert runner_of(path) == runner
