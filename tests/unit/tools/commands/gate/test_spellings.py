"""Everyday spellings of deletes and overwrites outside of the workspace, and work that only looks like them."""

from pathlib import Path

import pytest

from tests.unit.tools.commands.gate.kit import kinds_of, reasons_of
from wakeful.tools.commands.gate.ground import Ground

OVERWRITING = [
    "ln -sfn a.txt OTHER/data.txt",
    "find OTHER -type f -exec truncate -s 0 {} \\;",
    "find OTHER -type f -exec sed -i s/a/b/ {} +",
    "find OTHER -type f -exec cp a.txt {} \\;",
    "grep -rl a OTHER | xargs sed -i s/a/b/",
    "cp -f src/* OTHER/",
    "cp -r . OTHER",
    "cp -r / new.txt OTHER",
    "cp -r -t OTHER / new.txt",
    "rsync -a src/ OTHER/",
    "tar -xf a.tar -C OTHER",
    "tar xzf a.tgz --directory=OTHER",
    "cd OTHER && tar xf a.tar",
    "tar czf OTHER/data.txt src",
    "tar -c --file=OTHER/data.txt src",
    "unzip -o a.zip -d OTHER",
    "patch OTHER/data.txt < a.diff",
    "patch -d OTHER -p1 < a.diff",
    "awk '{print > \"OTHER/data.txt\"}' a.txt",
    "gawk -i inplace 1 OTHER/data.txt",
    "sort -o OTHER/data.txt a.txt",
    "gcc a.c -o OTHER/data.txt",
    "curl -soOTHER/data.txt http://example.org",
    "wget --output-document=OTHER/data.txt http://example.org",
    "python3 -c \"import shutil; shutil.copy('a.txt', 'OTHER/data.txt')\"",
    "python3 -c \"import os; os.truncate('OTHER/data.txt', 0)\"",
    "node -e \"require('fs').copyFileSync('a.txt', 'OTHER/data.txt')\"",
    "node -e \"require('fs').truncateSync('OTHER/data.txt')\"",
    'perl -e \'open(F, ">", "OTHER/data.txt")\'',
]

DELETING = [
    "perl -e 'unlink glob(\"OTHER/*\")'",
    "cat > x.sh <<'E'\nrm -rf OTHER\nE\nbash x.sh",
    "echo 'rm -rf OTHER' > /tmp/x.sh; chmod +x /tmp/x.sh && /tmp/x.sh",
    "tee x.sh <<'E'\nrm -rf OTHER\nE\nsh < x.sh",
    "cat > x.py <<'E'\nimport shutil\nshutil.rmtree('OTHER')\nE\npython3 x.py",
    "cat > x.sh <<'E'\nrm -rf OTHER; sh x.sh\nE\nsh x.sh",
    "fd . OTHER -x rm",
    "fd . OTHER -X rm -rf",
    "rsync --remove-source-files -a OTHER/ src/",
    "zip -m a.zip OTHER/data.txt",
    "git worktree remove --force OTHER",
    "git -C OTHER rm -f data.txt",
    "git -C OTHER checkout HEAD -- data.txt",
    "docker run --rm -v OTHER:/data alpine rm -rf /data",
]

HARMLESS = [
    "cp -r src OTHER/new",
    "cp -rn src OTHER",
    "cp src/*.py OTHER",
    "tar czf OTHER/new.tgz src",
    "tar tzf OTHER/data.txt",
    "tar xkf a.tar -C OTHER",
    "tar xf a.tar -C /tmp-of-the-machine/x",
    "unzip -l OTHER/data.txt",
    "awk '$1 > 5' OTHER/data.txt",
    "grep -o a OTHER/data.txt",
    "find OTHER -type f -exec cat {} +",
    "find . -name '*.py' -exec sed -i s/a/b/ {} +",
    "fd -e pyc -x rm",
    "cat > x.sh <<'E'\nrm -rf build\nE\nbash x.sh",
    "cat > x.sh <<'E'\nrm -rf OTHER\nE\nchmod +x x.sh && shellcheck x.sh",
    "cat > README.md <<'E'\nrm -rf OTHER\nE\nnpx prettier --check README.md",
    "git rm old.py && git checkout main -- src/a.py",
    "git worktree remove OTHER",
    "docker run --rm alpine sh -c 'rm -rf /var/cache/apk/*'",
    'rm -rf "build/$(uname -m)" "backup-$(date +%F)"',
    "crontab -l | grep backup",
    "zip -m old.zip a.txt",
    'perl -e \'open(F, "<", "OTHER/data.txt")\'',
]


@pytest.fixture(autouse=True)
def no_folder_is_temporary(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests run in a temporary folder, which must not count as one."""
    monkeypatch.setattr(Ground, "temporary", ("/tmp-of-the-machine",))


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Make a folder next to the workspace, with a file that must not be lost."""
    (tmp_path / "workspace/src").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "other/data.txt").write_text("worth something")
    return tmp_path / "other"


def _kinds(command: str, other: Path) -> list[str]:
    workspace = other.parent / "workspace"
    return kinds_of(command.replace("OTHER", str(other)), workspace, workspace)


def test_overwriting_in_another_folder_is_asked_about(other: Path) -> None:
    assert [each for each in OVERWRITING if "write_outside" not in _kinds(each, other)] == []


def test_deleting_in_another_folder_is_asked_about(other: Path) -> None:
    assert [each for each in DELETING if "delete_outside" not in _kinds(each, other)] == []


def test_a_file_that_git_throws_away_is_named_and_its_options_are_not(other: Path) -> None:
    workspace = other.parent / "workspace"
    reasons = reasons_of(f"git -C {other} rm -f --quiet data.txt", workspace, workspace)
    assert [reason.path for reason in reasons] == [str(other / "data.txt")]


@pytest.mark.parametrize("command", ["crontab new.cron", "crontab < new.cron", "(crontab -l; cat more) | crontab -"])
def test_replacing_all_schedules_is_asked_about(command: str, other: Path) -> None:
    assert _kinds(command, other) == ["drop_schedules"]


def test_what_destroys_nothing_in_another_folder_is_not_asked_about(other: Path) -> None:
    assert {each: kinds for each in HARMLESS if (kinds := _kinds(each, other))} == {}


def test_a_folder_that_is_written_over_is_named(other: Path) -> None:
    workspace = other.parent / "workspace"
    [reason] = reasons_of(f"tar xf a.tar -C {other}", workspace, workspace)
    assert (reason.path, reason.reason) == (
        str(other),
        f"may overwrite files in {other}, which is outside of the workspace",
    )
