"""Where faults are planted: in files and folders of the package, or in lines that have changed."""

import subprocess
from pathlib import Path

import pytest

from mutants.sample import faults_at
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


@pytest.mark.parametrize("path", ["tests", "src/wakeful/nowhere.py", "/etc", "src/wakeful/../../tests"])
def test_a_path_that_is_not_in_the_package_is_refused(project: Path, path: str) -> None:
    with pytest.raises(ValueError, match=f"There is no {path} in src/wakeful: name a file"):
        targets(project, [path], None)


def test_a_file_that_is_not_python_is_refused(project: Path) -> None:
    (project / "src" / "wakeful" / "page.js").write_text("let a = 1;\n")

    with pytest.raises(ValueError, match=r"page\.js is not Python"):
        targets(project, ["src/wakeful/page.js"], None)


@pytest.mark.parametrize("revision", ["nowhere", "", "--stat", "HEAD..HEAD"])
def test_a_revision_that_git_does_not_know_is_refused(project: Path, revision: str) -> None:
    with pytest.raises(ValueError, match=f"git knows no revision '{revision}': name a commit"):
        targets(project, [], revision)


def test_a_source_that_does_not_compile_is_to_be_mended_first(project: Path) -> None:
    (project / SUMS).write_text("a = 1\nb = (\n")

    with pytest.raises(ValueError, match=r"^src/wakeful/sums\.py:2 does not compile: mend it first\.$"):
        faults_at(project, Target(SUMS))
