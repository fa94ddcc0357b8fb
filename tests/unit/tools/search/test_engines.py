"""The commands that search."""

import sys
from dataclasses import replace

import pytest

from wakeful.tools.search.engines import command_for, count_command, own_environment
from wakeful.tools.search.pattern import pattern_of
from wakeful.tools.search.query import LINE_BYTES, Query

WORD = Query("/w", ".", pattern_of("word", ignore_case=False), 2, 7, False, "", "")
NAMES = replace(WORD, pattern=None)


def test_our_own_search_gets_the_whole_query() -> None:
    program, *options, query = command_for(replace(WORD, closed=("a", "b")), None)

    assert [program, *options] == [sys.executable, "-m", "wakeful.tools.search.own_search"]
    assert Query.load(query) == replace(WORD, closed=("a", "b"))


def test_ripgrep_is_told_how_much_to_print_and_where_the_pattern_ends() -> None:
    command = command_for(replace(WORD, start="-a.txt"), "/bin/rg")

    assert WORD.pattern is not None
    assert command[0] == "/bin/rg"
    assert {"--context=2", "--max-count=7", f"--max-columns={LINE_BYTES}", "--text", "--null"} <= set(command)
    assert list(command[-4:]) == ["-e", WORD.pattern.ripgrep, "--", "-a.txt"]


def test_names_are_listed_without_reading_files() -> None:
    command = command_for(NAMES, "/bin/rg")

    assert list(command[-3:]) == ["--files", "--null", "."]
    assert "-e" not in command


def test_matches_are_counted_in_the_named_files_alone() -> None:
    command = count_command(WORD, "/bin/rg", ["-a", "b"])

    assert WORD.pattern is not None
    assert "--count" in command
    assert list(command[-5:]) == ["-e", WORD.pattern.ripgrep, "--", "-a", "b"]


@pytest.mark.parametrize("reads_ignored", [False, True])
def test_ignore_files_hold_unless_the_call_reads_what_is_ignored(reads_ignored: bool) -> None:
    command = command_for(replace(NAMES, reads_ignored=reads_ignored), "/bin/rg")

    assert ("--no-ignore" in command) is reads_ignored
    # Only the rules of the folders count, whatever the settings of the user are.
    assert ({"--no-require-git", "--no-ignore-global", "--no-ignore-exclude"} <= set(command)) is not reads_ignored
    assert {"--no-config", "--hidden", "--no-follow", "--glob=!.git"} <= set(command)


def test_closed_paths_are_left_out_whatever_their_names_contain() -> None:
    command = command_for(replace(NAMES, closed=("a/b", "[c]*!{d}?\\")), "/bin/rg")

    assert [option for option in command if option.startswith("--glob=!/")] == [
        "--glob=!/a/b",
        r"--glob=!/\[c\]\*\!\{d\}\?\\",
    ]


@pytest.mark.parametrize(
    ("glob", "name"),
    [
        ("*.py", "*.py"),
        ("src/**/*.py", "*.py"),
        ("a?-b_1.txt", "a?-b_1.txt"),
        ("", ""),
        ("src/", ""),
        ("**", ""),
        ("a**", ""),
        ("*.{py,js}", ""),
        ("[ab].py", ""),
        ("a,b", ""),
        ("\N{CHERRIES}", ""),
    ],
)
def test_ripgrep_filters_names_only_by_what_it_reads_as_we_do(glob: str, name: str) -> None:
    command = command_for(replace(NAMES, glob=glob), "/bin/rg")

    types = [option for option in command if option.startswith("--type")]
    assert types == ([f"--type-add=wanted:{name}", "--type=wanted"] if name else [])


def test_a_search_sees_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    monkeypatch.setenv("PATH", "/bin")
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.delenv("LANG", raising=False)

    environment = own_environment()

    assert (environment["PATH"], environment["LC_ALL"]) == ("/bin", "C")
    assert set(environment) <= {"PATH", "LC_ALL", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH"}
