import os
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.unit.tools.kit import tool_context
from wakeful.tools.base import Tool
from wakeful.tools.files import RESULT_LIMIT, ListFiles, ReadFile, WriteFile

_TOOLS: list[Tool] = [ReadFile(), ListFiles(), WriteFile()]


async def _run(tool: Tool, workspace: Path, **arguments: Any) -> str:
    result = await tool.run(arguments, tool_context(workspace))
    result.text.encode()
    return result.text


async def test_only_writing_is_not_run_again(tmp_path: Path) -> None:
    assert [await tool.may_rerun({}, tool_context(tmp_path)) for tool in _TOOLS] == [True, True, False]


async def test_a_file_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_bytes(b"one\r\ntwo\n")

    assert await _run(ReadFile(), tmp_path, path="notes.txt") == "one\r\ntwo\n"


async def test_an_absolute_path_inside_the_workspace_is_read(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("one")

    assert await _run(ReadFile(), tmp_path, path=str(tmp_path / "notes.txt")) == "one"


async def test_some_lines_are_read_and_the_next_offset_is_told(tmp_path: Path) -> None:
    (tmp_path / "n").write_text("1\n2\n3\n4\n")

    assert await _run(ReadFile(), tmp_path, path="n", offset=2, limit=2) == (
        "2\n3\n[More lines follow; go on with offset 4.]"
    )
    assert await _run(ReadFile(), tmp_path, path="n", offset="4", limit="9") == "4\n"
    assert await _run(ReadFile(), tmp_path, path="n", offset=9) == "[The file ends before line 9.]"


async def test_a_long_file_is_cut_between_lines_and_can_be_read_on(tmp_path: Path) -> None:
    lines = [f"line {number}\n" for number in range(1, 10_001)]
    (tmp_path / "n").write_text("".join(lines))

    read, offset = "", 1
    while True:
        text = await _run(ReadFile(), tmp_path, path="n", offset=offset)
        assert len(text) <= RESULT_LIMIT
        text, mark, rest = text.partition("[Cut, the result is full; go on with offset ")
        read += text
        if not mark:
            break
        offset = int(rest.removesuffix(".]"))

    assert read == "".join(lines)


async def test_a_line_too_long_for_a_result_is_cut_and_skipped(tmp_path: Path) -> None:
    (tmp_path / "n").write_text("x" * 200_000 + "\nnext\n")

    text = await _run(ReadFile(), tmp_path, path="n")

    assert len(text) <= RESULT_LIMIT
    assert text.endswith("[Cut in line 1, which is too long for a result; go on with offset 2.]")
    assert await _run(ReadFile(), tmp_path, path="n", offset=2) == "next\n"


async def test_a_binary_file_is_read_with_replacements(tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"a\xff\xfeb")

    assert await _run(ReadFile(), tmp_path, path="b") == "a\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}b"


async def test_an_empty_file_says_so(tmp_path: Path) -> None:
    (tmp_path / "e").touch()

    assert await _run(ReadFile(), tmp_path, path="e") == "[The file is empty.]"


async def test_a_directory_is_listed(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "b.md").write_text("12345")
    (tmp_path / "a.txt").touch()
    (tmp_path / "lost").symlink_to("nowhere")

    assert await _run(ListFiles(), tmp_path) == "a.txt  0 bytes\ndocs/\nlost  unreadable"
    assert await _run(ListFiles(), tmp_path, path="docs") == "b.md  5 bytes"


async def test_an_empty_directory_says_so(tmp_path: Path) -> None:
    assert await _run(ListFiles(), tmp_path) == "[The directory is empty.]"


async def test_a_long_listing_is_cut_and_says_how_much_is_missing(tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"{number:03}{'x' * 240}").touch()

    text = await _run(ListFiles(), tmp_path)

    assert len(text) <= RESULT_LIMIT
    shown = text.count(" bytes")
    assert text.endswith(f"[Cut, the result is full; {300 - shown} more entries are not shown.]")


async def test_a_name_that_is_not_utf8_is_listed_with_a_replacement(tmp_path: Path) -> None:
    Path(os.fsdecode(bytes(tmp_path) + b"/\xff.txt")).touch()

    assert await _run(ListFiles(), tmp_path) == "\N{REPLACEMENT CHARACTER}.txt  0 bytes"


async def test_a_file_is_written_with_its_directories(tmp_path: Path) -> None:
    text = await _run(WriteFile(), tmp_path, path="a/b/c.txt", content="häßlich\r\n")

    assert text == "Wrote 11 bytes to a/b/c.txt."
    assert (tmp_path / "a/b/c.txt").read_bytes() == "häßlich\r\n".encode()
    assert os.listdir(tmp_path / "a/b") == ["c.txt"]


async def test_a_replaced_file_keeps_its_mode(tmp_path: Path) -> None:
    script = tmp_path / "run.sh"
    script.write_text("old")
    script.chmod(0o754)

    await _run(WriteFile(), tmp_path, path="run.sh", content="new")

    assert script.read_text() == "new"
    assert stat.S_IMODE(script.stat().st_mode) == 0o754


async def test_a_new_file_has_an_ordinary_mode(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()

    await _run(WriteFile(), tmp_path, path="new", content="")

    assert (tmp_path / "new").stat().st_mode == (tmp_path / "plain").stat().st_mode


async def test_writing_through_a_link_inside_the_workspace_keeps_the_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")

    assert await _run(WriteFile(), tmp_path, path="link", content="new") == "Wrote 3 bytes to real."
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


async def test_a_write_that_fails_leaves_the_old_content_and_no_rubbish(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "n").write_text("old")

    def full_disk(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    text = await _run(WriteFile(), tmp_path, path="n", content="new")

    assert text == "Error: n: no space left on device."
    assert os.listdir(tmp_path) == ["n"]
    assert (tmp_path / "n").read_text() == "old"


@pytest.mark.parametrize("tool", _TOOLS)
@pytest.mark.parametrize("path", ["..", "../outside", "/etc/passwd", "link", "link/passwd", "a/../../x"])
async def test_no_path_leads_out_of_the_workspace(tool: Tool, path: str, tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "link").symlink_to("/etc")

    text = await _run(tool, workspace, path=path, content="x")

    assert text == f"Error: {path} is outside of the workspace."


async def test_a_workspace_reached_through_a_link_is_usable(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")

    assert await _run(WriteFile(), tmp_path / "link", path="n", content="x") == "Wrote 1 bytes to n."


@pytest.mark.parametrize("tool", _TOOLS)
async def test_links_in_a_circle_are_an_answer_not_an_exception(tool: Tool, tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")

    assert await _run(tool, tmp_path, path="a", content="x") == "Error: a is a link that leads in a circle."


@pytest.mark.parametrize(
    ("tool", "arguments", "text"),
    [
        (ReadFile(), {}, "Error: path must be the path of a file or directory in the workspace."),
        (ReadFile(), {"path": 7}, "Error: path must be the path of a file or directory in the workspace."),
        (ReadFile(), {"path": "a\0b"}, "Error: path must be the path of a file or directory in the workspace."),
        (ReadFile(), {"path": "none"}, "Error: none: no such file or directory."),
        (ReadFile(), {"path": "."}, "Error: . is not a file."),
        (ReadFile(), {"path": "pipe"}, "Error: pipe is not a file."),
        (ReadFile(), {"path": "n" * 300}, f"Error: {'n' * 300}: file name too long."),
        (ReadFile(), {"path": "file", "offset": 0}, "Error: offset must be a whole number from 1."),
        (ReadFile(), {"path": "file", "limit": "all"}, "Error: limit must be a whole number from 1."),
        (ReadFile(), {"path": "file", "limit": True}, "Error: limit must be a whole number from 1."),
        (ListFiles(), {"path": "file"}, "Error: file: not a directory."),
        (ListFiles(), {"path": "none"}, "Error: none: no such file or directory."),
        (WriteFile(), {"path": "new"}, "Error: content must be a text."),
        (WriteFile(), {"path": ".", "content": "x"}, "Error: . is not a file."),
        (WriteFile(), {"path": "pipe", "content": "x"}, "Error: pipe is not a file."),
        (WriteFile(), {"path": "file/new", "content": "x"}, "Error: file is not a directory."),
        (WriteFile(), {"path": "file/a/b", "content": "x"}, "Error: file/a/b: not a directory."),
    ],
)
async def test_a_failure_is_a_clear_text(tool: Tool, arguments: dict[str, Any], text: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    os.mkfifo(tmp_path / "pipe")

    assert await _run(tool, tmp_path, **arguments) == text
