"""Where faults are planted: in files and folders of the package, or in lines that have changed."""

import subprocess
from pathlib import Path

import pytest

from mutants.targets import Target, targets
from tests.mutants.project import SOURCE, make_project

SUMS = "src/wakeful/sums.py"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(make_project(tmp_path))
    who = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    for arguments in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", "first"]):
        subprocess.run(["git", *arguments], check=True)
    return tmp_path


def test_only_lines_that_differ_from_the_revision_count_and_all_of_a_new_file(project: Path) -> None:
    (project / SUMS).write_text(SOURCE.replace("return 1", "return 2"))
    (project / "src" / "wakeful" / "new.py").write_text("a = 1\n")
    changed = SOURCE.splitlines().index("    return 1") + 1

    found = targets(project, [], "HEAD")

    assert found == [Target("src/wakeful/new.py"), Target(SUMS, frozenset({changed}))]


def test_a_path_outside_of_the_package_is_refused(project: Path) -> None:
    with pytest.raises(ValueError, match="tests is not below src/wakeful"):
        targets(project, ["tests"], None)


def test_a_revision_that_git_does_not_know_is_refused(project: Path) -> None:
    with pytest.raises(ValueError, match="nowhere"):
        targets(project, [], "nowhere")
