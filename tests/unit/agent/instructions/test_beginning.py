"""Beginnings of files, and the fields above a text."""

import os
from pathlib import Path

import pytest

from wakeful.agent.instructions.beginning import Beginning, beginning_of
from wakeful.agent.instructions.folder import folder_section
from wakeful.agent.instructions.front_matter import front_matter
from wakeful.agent.instructions.personal import PersonalFiles


def of_bytes(folder: Path, content: bytes, limit: int) -> Beginning | None:
    (folder / "a.md").write_bytes(content)
    return beginning_of(folder / "a.md", limit)


@pytest.mark.parametrize(
    ("content", "limit", "found"),
    [
        (b" hello\n", 10, Beginning("hello", 7, is_cut=False)),
        (b"0123456789", 10, Beginning("0123456789", 10, is_cut=False)),
        (b"0123456789x", 10, Beginning("0123456789", 11, is_cut=True)),
        # Half a character is left out where the file was cut, and shown where it ends so.
        ("aüb".encode(), 2, Beginning("a", 4, is_cut=True)),
        (b"a\xc3", 10, Beginning("a\ufffd", 2, is_cut=False)),
        (b"a\0b", 10, Beginning("a\ufffdb", 3, is_cut=False, is_binary=True)),
        (b"", 10, Beginning("", 0, is_cut=False)),
    ],
)
def test_as_much_of_a_file_is_read_as_is_wanted(tmp_path: Path, content: bytes, limit: int, found: Beginning) -> None:
    assert of_bytes(tmp_path, content, limit) == found


def test_only_files_are_read_and_a_pipe_blocks_nobody(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    assert [beginning_of(tmp_path / name, 10) for name in ("pipe", "nowhere", ".")] == [None, None, None]


def test_what_was_cut_says_so() -> None:
    assert Beginning("hello", 5, is_cut=False).noted("a.md") == "hello"
    assert Beginning("hello", 9_000, is_cut=True).noted("a.md") == (
        "hello\n[Cut: a.md has 9,000 bytes, and only its beginning is shown.]"
    )


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("", None),
        ("name: a\n---\n", None),
        ("--- x\nname: a\n---\n", None),
        ("---\nname: a\n", None),
        ("---\n---\n", {}),
        ("\ufeff---  \nname: a\n---\t\nname: b\n", {"name": "a"}),
        ("---\nname:\nother:   b\n---", {"name": "", "other": "b"}),
        ("---\n- a\n# words\nname: a\n---", {"name": "a"}),
        ("---\nname: |\n  a\n\n  b\n---", {"name": "a\n\nb"}),
        ("---\nname: >\n  a\n\tb\n---", {"name": "a b"}),
        ('---\nname: "say \\"hi\\" # now"\n---', {"name": 'say "hi" # now'}),
        ("---\nname: \"a'\n---", {"name": "\"a'"}),
        ("---\nname: '\n---", {"name": "'"}),
        ("---\nname: a#b # c\n---", {"name": "a#b"}),
        ("---\nname:a\nother: b\n---", {"other": "b"}),
    ],
)
def test_the_simple_part_of_yaml_is_read(text: str, fields: dict[str, str] | None) -> None:
    assert front_matter(text) == fields


def test_an_empty_file_and_none_say_nothing(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("\n")
    (tmp_path / "instructions.md").write_text(" ")

    assert folder_section(tmp_path) == ""
    assert PersonalFiles(tmp_path, "ann").instructions("ann") == ""
    assert PersonalFiles(tmp_path, "ann").instructions("bob") == ""


def test_an_empty_agents_file_hides_the_other_one(tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("Use tabs.")
    assert f"[{tmp_path / 'CLAUDE.md'}]\nUse tabs." in folder_section(tmp_path)

    (tmp_path / "AGENTS.md").write_text("")
    assert folder_section(tmp_path) == ""


def test_a_link_to_a_file_of_an_outer_folder_of_the_repository_is_followed(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "part").mkdir()
    (tmp_path / "shared.md").write_text("Use tabs.")
    (tmp_path / "part" / "AGENTS.md").symlink_to("../shared.md")

    assert "Use tabs." in folder_section(tmp_path / "part")


def test_a_file_that_just_fills_the_limit_is_whole(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("a" * 32 * 1024)
    assert "[Cut" not in folder_section(tmp_path)

    (tmp_path / "AGENTS.md").write_text("a" * (32 * 1024 + 1))
    assert "[Cut: AGENTS.md has 32,769 bytes" in folder_section(tmp_path)


@pytest.mark.parametrize("owner", [".", "..", "a/../..", "/etc"])
def test_a_name_that_leads_elsewhere_has_neither_memory_nor_instructions(tmp_path: Path, owner: str) -> None:
    files = PersonalFiles(tmp_path / "home", "ann")

    assert (files.memory(owner), files.instructions(owner)) == (("", ""), "")


def test_an_empty_memory_is_told_with_its_path(tmp_path: Path) -> None:
    words, path = PersonalFiles(tmp_path, "ann").memory("ann")

    assert path == str(tmp_path / "memory.md")
    assert f"from {path}." in words
    assert words.endswith("It may have 16,384 bytes, and a change shows here from the next turn on.\n\n[It is empty.]")
