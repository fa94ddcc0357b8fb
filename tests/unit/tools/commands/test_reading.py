"""Commands that are known to only read, and those that only look like it."""

import subprocess
from pathlib import Path

import pytest

from wakeful.tools.commands.reading import judge
from wakeful.tools.commands.reading.judge import command_only_reads, typing_only_reads

READS = [
    "ls -la",
    "cat a.txt | grep -n 'x y' | head -20",
    "cd src && ls; pwd",
    'grep -rn "def main" . 2>/dev/null | wc -l',
    "find . -name '*.py' -type f",
    "sed -n 10,20p a.txt",
    "sed -n '5,$p' a.txt",
    "sort -u a.txt | uniq -c",
    "git status",
    "git log --oneline -5 && git diff HEAD~1 -- a.txt",
    "git ls-files --others",
    "git log --first-parent --summary",
    "cd src && cd .. && git status",
    "printf '%s: %5.1f%%' a.txt 3",
    "[ -f a.txt ] && echo yes || echo no",
    "head -c 100 a.txt >/dev/null 2>&1",
    "date +%s; hostname",
    "wc -l *.py",
    "ls\ncat a.txt",
    "file a.txt",
    "tree -L 2",
    "rg -n x .",
    "sort -k2 a.txt",
    "sort --reverse --key=2 a.txt",
    "sort -rn a.txt",
    "test -f a.txt",
    "uniq",
    "uniq a.txt",
    "uniq -c",
    "date",
    "date -u",
    "date -I +%F",
    "date --utc +%s",
    "hostname -f",
    "printf 'a%%b%s %d' x 3",
    "find . -maxdepth 2 -print0",
    "git show HEAD:a.txt|head",
    "ls &>/dev/null; ls 1>&2; ls 2> /dev/null",
    "ls || true",
    "echo 'a b' \"c d\"e",
    "cat a.txt | wc",
    "sed -n 5p a.txt b.txt",
    "cat a.txt | sed -n 5p",
    "sed -n '$p' a.txt",
    "cat a.txt | sed -n 1p",
    "cd src; git log",
    "cd src|ls",
    "git blame a.txt; git grep -n x; git rev-parse HEAD",
    "git log --oneline --objects",
    "ls *.py ?x [a]",
    "[ -f a* ]",
    "tree -a",
    "find src -name x",
    "rg x",
    "cd; ls",
    "cd - ; pwd",
    "git diff -- a.txt",
    "git log a*",
    "rg x a*",
    "sed -n 1p a*",
    "ls" + " a" * 9_999,
]
MORE = [
    "touch x",
    "rm x",
    "make test",
    "python3 -c 'print(1)'",
    "ls > out.txt",
    "ls >> /dev/null.txt",
    "ls 2>&1 >x",
    "echo hi | tee x",
    "cat a.txt | sh",
    "ls $(touch x)",
    "ls `touch x`",
    "echo $HOME",
    'echo "$(touch x)"',
    "ls & touch x",
    "ls; ./ls",
    "./cat a.txt",
    "/tmp/ls",
    "PATH=. ls",
    "PAGER='touch x' git log",
    "env ls",
    "sudo ls",
    "xargs rm < list",
    "cat < a.txt",
    "find . -delete",
    "find . -exec rm {} +",
    "find . -fprintf x y",
    "sort a.txt -o a.txt",
    "sort -uo a.txt a.txt",
    "sort --outp=x a.txt",
    "sort --compress-prog=./evil a.txt",
    "sort *",
    "uniq a.txt b.txt",
    "uniq *",
    "sed -i s/a/b/ a.txt",
    "sed -n 'w x' a.txt",
    "sed -n 1e a.txt",
    "sed -n 1p --in-place a.txt",
    "rg --pre ./evil x",
    "tree -o x",
    "file -C -m x",
    "file -0C -m x",
    "printf -v PATH .",
    "printf %n PATH; ls",
    "printf -- %n PATH; ls",
    "printf '%-5n' PATH; ls",
    "printf x* PATH; ls",
    "date -s 2020-01-01",
    "date 01010000",
    "hostname evil",
    "[ -v 'x[$(touch y)]' ]",
    "test -v 'x[$(touch y)]'",
    "git commit -m x",
    "git -c core.pager='touch x' log",
    "git -C sub log",
    "git diff --output=x",
    "git diff --outp=x",
    "git grep -O'touch x' y",
    "git grep -nOtouch y",
    "git grep -3O./evil y",
    "git diff --submodule=diff",
    "git cat-file --t HEAD:a.txt",
    "git branch -D x",
    "git diff --ext-diff",
    "git push",
    "if true; then touch x; fi",
    "ls() { touch x; }; ls",
    "alias ls=touch; ls x",
    "(touch x)",
    "{ touch x; }",
    "eval ls",
    "exec ls",
    "command ls",
    "builtin cd x",
    "source x",
    ". x",
    "ls #",
    "!ls",
    "la*",
    "curl http://127.0.0.1/",
    "wakeful key",
    "cat <<E\nx\nE",
    "ls \\\ntouch x",
    "echo a\x00b",
    "ls; " * 20_000,
    "ls" + " a" * 9_999 + "b",
    "file -C",
    "file --compile -m x",
    "tree -R",
    "tree --output=x",
    "rg -z x",
    "rg --search-zip x",
    "rg --pre=x y",
    "rg --hostname-bin=x y",
    "rg *",
    "sort --output=x a",
    "sort -T /x a",
    "sort -S 1 a",
    "sort -ro x",
    "sort --files0-from=x",
    "find . -fls x",
    "find . -ok rm {} +",
    "find . -fprint0 x",
    "find *",
    "sed -n 1p -i a",
    "sed -n 1p *",
    "sed 1p a",
    "sed -n",
    "sed -n 1p -e x",
    "sed -n 1,2d a",
    "uniq -c a",
    "uniq -d x",
    "date -f x",
    "date *",
    "date --set=x",
    "hostname -F x",
    "hostname -b x",
    "printf",
    "printf '%v' x",
    "git",
    "git status *",
    "git log -*",
    "rg -*",
    "sed -n 1p [a]",
    "git log -O x",
    "git diff --text",
    "git show --t",
    "git log --recurse-submodules",
    "git cat-file --batch",
    "git cat-file --filters x",
    "gi* status",
    "git s* ",
    "cd - ; git log",
    "cd a b; git log",
    "cd *; git log",
    "cd; git log",
    "ls 3>x",
    "ls >/dev/nullx",
    "ls 2>&1x",
    "ls >&2x",
    "cat $X",
    'echo "a!b"',
    "echo 'a",
    'echo "a',
    "ls {a,b}",
    "ls (a)",
    "ls a\\b",
    "ls <a",
    "cat a |& wc",
    "env",
    "xargs",
    "awk 1 a",
    "less a",
    "vim a",
    "tee",
    "time ls",
    "sh",
    "bash -c ls",
    "git bisect",
    "git remote",
    "git branch",
    "git tag",
    "git config x y",
    "git stash list",
    "git fetch",
]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "src").mkdir()
    return tmp_path


def test_a_command_that_only_reads_is_known(repository: Path) -> None:
    assert [each for each in READS if not command_only_reads(each, str(repository))] == []


def test_what_is_not_certain_does_not_count_as_reading(repository: Path) -> None:
    assert [each[:40] for each in MORE if command_only_reads(each, str(repository))] == []


@pytest.mark.parametrize(
    "setting", ["core.fsmonitor", "diff.x.textconv", "filter.x.clean", "include.path", "core.pager"]
)
def test_git_does_more_than_read_where_the_repository_names_a_program(setting: str, repository: Path) -> None:
    subprocess.run(["git", "-C", str(repository), "config", setting, "evil"], check=True)

    assert not command_only_reads("git status", str(repository))
    assert not command_only_reads("cd src && git status", str(repository))
    assert not command_only_reads(f"cd {repository} && git status", "/")


def test_git_does_more_than_read_beside_a_hook_in_a_bare_repository_and_at_a_terminal(repository: Path) -> None:
    assert not command_only_reads("git log", str(repository), has_terminal=True)
    (repository / ".git/hooks/post-index-change").write_text("#!/bin/sh\ntouch x\n")
    assert not command_only_reads("git status", str(repository))
    bare = repository / "src"
    (bare / "objects").mkdir()
    (bare / "HEAD").write_text("ref: refs/heads/x\n")
    assert not command_only_reads("git status", str(bare))


@pytest.mark.parametrize(
    "settings",
    [
        "[user][include]path=evil",
        "\ufeff[include]\npath=evil",
        '[filter "x"] clean = evil',
        '[remote "x"]\npromisor\nurl=.\nuploadpack=evil',
        "[diff]\nsubmodule=diff",
    ],
)
def test_a_setting_that_runs_a_program_is_found_however_it_is_written(settings: str, repository: Path) -> None:
    (repository / ".git/config").write_text(f"{settings}\n")

    assert not command_only_reads("git status", str(repository))


def test_git_does_more_than_read_where_its_settings_may_be_elsewhere(repository: Path) -> None:
    (repository / "src/HEAD").write_text("ref: refs/heads/x\n")
    assert not command_only_reads("git status", str(repository / "src"))
    (repository / ".git/commondir").write_text("../other\n")
    assert not command_only_reads("git status", str(repository))


@pytest.mark.parametrize(
    "name", ["config.worktree", "modules", "hooks/post-index-change", "hooks/fsmonitor-watchman", "sharedindex.1"]
)
def test_git_does_more_than_read_beside_files_that_may_name_a_program(name: str, repository: Path) -> None:
    assert command_only_reads("git status", str(repository))
    (repository / ".git" / name).touch()

    assert not command_only_reads("git status", str(repository))


def test_git_reads_in_a_repository_that_has_no_settings_and_where_there_is_none(repository: Path) -> None:
    (repository / ".git/config").unlink()

    assert command_only_reads("git status", str(repository))
    assert command_only_reads("git status", "/")


def test_git_does_more_than_read_in_a_work_tree_whose_settings_are_elsewhere(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: /elsewhere\n")

    assert not command_only_reads("git status", str(tmp_path))
    assert command_only_reads("ls", str(tmp_path))


def test_a_repository_within_the_repository_may_name_a_program(repository: Path) -> None:
    _make_evil(repository / "within")
    identity = ["-c", "user.name=x", "-c", "user.email=x"]
    commit = ["git", *identity, "-C", "within", "commit", "-q", "--allow-empty", "-m", "x"]
    subprocess.run(commit, cwd=repository, check=True)
    assert command_only_reads("git status", str(repository))
    subprocess.run(["git", "add", "within"], cwd=repository, check=True, capture_output=True)

    assert not command_only_reads("git status", str(repository))


def test_a_git_folder_that_is_no_repository_does_not_hide_the_one_above(repository: Path) -> None:
    subprocess.run(["git", "-C", str(repository), "config", "core.fsmonitor", "evil"], check=True)
    (repository / "src/.git").mkdir()

    assert not command_only_reads("git status", str(repository / "src"))


def test_links_and_tildes_do_not_hide_the_repository_that_git_finds(repository: Path) -> None:
    _make_evil(repository / "evil")
    _make_evil(repository / "~/x")
    (repository / "evil/deep").mkdir()
    (repository / "link").symlink_to("evil/deep")

    assert not command_only_reads("cd link && git status", str(repository))
    assert not command_only_reads("git status", str(repository / "link"))
    assert not command_only_reads("cd .. && git status", str(repository / "link"))
    assert not command_only_reads("cd '~'/x && git status", str(repository))


def test_many_changes_of_the_folder_are_given_up_on(repository: Path) -> None:
    moves = "; ".join(f"cd d{number}" for number in range(100))

    assert command_only_reads(f"{moves}; ls", str(repository))
    assert not command_only_reads(f"{moves}; git status", str(repository))


def test_as_many_folders_are_followed_as_the_limit_says(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge, "_MOST_FOLDERS", 2)

    assert command_only_reads("cd src; git status", str(repository))
    assert not command_only_reads("cd src; cd deep; git status", str(repository))


def test_typed_input_reads_only_if_all_of_it_does_and_a_plain_shell_gets_it() -> None:
    assert typing_only_reads("bash", "", "ls -l\n", "/")
    assert typing_only_reads(" dash ", "ls\n", "pwd\n", "/")
    assert not typing_only_reads("bash", "", "git status\n", "/")
    assert not typing_only_reads("bash", "alias ls=touch\n", "ls x\n", "/")
    assert not typing_only_reads("bash", "ls", "; touch x\n", "/")
    assert not typing_only_reads("python3", "", "ls\n", "/")
    assert not typing_only_reads("bash --rcfile x", "", "ls\n", "/")


def _make_evil(folder: Path) -> None:
    """Make a repository whose settings name a program."""
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    subprocess.run(["git", "-C", str(folder), "config", "core.pager", "evil"], check=True)
