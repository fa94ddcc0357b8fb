"""What a person is told about git commands."""

from pathlib import Path

from tests.unit.tools.commands.gate.kit import Told, told

TOLD: Told = [
    ("git -C", []),
    ("git", []),
    ("git --no-pager", []),
    ("git push", []),
    ("git push -f -- x", ["force_push: overwrites what others may have in x"]),
    ("git -c x=y", []),
    (
        "git --git-dir=x --work-tree OTHER -c a=b clean -f",
        ["discard_work: WORK", "delete_outside OTHER: throws away changes in everything in OTHER (outside)"],
    ),
    (
        "git -c core.x=1 -C OTHER clean -f",
        ["discard_work: WORK", "delete_outside OTHER: throws away changes in everything in OTHER (outside)"],
    ),
    (
        "git -C OTHER -C .. clean -f",
        ["discard_work: WORK", "delete_outside ABOVE: throws away changes in everything in ABOVE (outside)"],
    ),
    ("git clean -f -C OTHER", ["discard_work: WORK"]),
    ("git --work-tree", []),
    ("git -C clean -f", []),
    ("git push origin", []),
    ("git push origin +", ["force_push: overwrites what others may have in origin"]),
    ("git push --forc", ["force_push: overwrites what others may have in the remote repository"]),
    ("git rm a OTHER/b -r", ["delete_outside OTHER/b: throws away OTHER/b (outside)"]),
    ("git checkout -- OTHER/a", ["delete_outside OTHER/a: throws away OTHER/a (outside)"]),
    ("git checkout OTHER/a", []),
    ("git worktree remove --force a OTHER", ["delete_outside OTHER: throws away OTHER (outside)"]),
    ("git worktree remove -f", []),
    ("git -C OTHER worktree remove -f a", ["delete_outside OTHER/a: throws away OTHER/a (outside)"]),
    ("git -C a worktree remove -f b", []),
    ("git restore -W .", ["discard_work: WORK"]),
    ("git restore ./", ["discard_work: WORK"]),
    ("git checkout :/", ["discard_work: WORK"]),
    ("git checkout '*'", ["discard_work: WORK"]),
    ("git stash", []),
    ("git config --global core.pager x", ["runs_later: sets core.pager, which git runs by itself"]),
    ("git config --unset core.pager", []),
    ("git config CORE.HOOKSPATH x", ["runs_later: sets CORE.HOOKSPATH, which git runs by itself"]),
    ("git clean -f --dry-run", []),
    ("git clean", []),
    ("git switch --force x", ["discard_work: WORK"]),
    ("git checkout main -f", ["discard_work: WORK"]),
    ("git -C OTHER restore data.txt", ["delete_outside OTHER/data.txt: throws away OTHER/data.txt (outside)"]),
    ("git -C OTHER restore --staged data.txt", []),
    ("git -C OTHER restore -S -W data.txt", ["delete_outside OTHER/data.txt: throws away OTHER/data.txt (outside)"]),
    (
        "git -C OTHER restore .",
        ["discard_work: WORK", "delete_outside OTHER: throws away changes in everything in OTHER (outside)"],
    ),
    ("git restore a.py -- b.py", []),
    ("git restore OTHER/data.txt --quiet", ["delete_outside OTHER/data.txt: throws away OTHER/data.txt (outside)"]),
    ("GIT_WORK_TREE=OTHER GIT_DIR=x git rm a", ["delete_outside OTHER/a: throws away OTHER/a (outside)"]),
]


def test_a_person_is_told_what_git_throws_away(above: Path) -> None:
    assert [(command, told(command, above)) for command, _ in TOLD] == TOLD
