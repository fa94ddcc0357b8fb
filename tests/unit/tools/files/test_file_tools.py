import errno
import multiprocessing
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE
from tests.unit.tools.files.kit import edit_tool, failure, run, write_tool
from tests.unit.tools.kit import HOME, Gated, Person, gate_of
from wakeful.model.approvals.approval import Choice
from wakeful.opened_files import scanned_folder
from wakeful.tools.base import RESULT_LIMIT, Tool
from wakeful.tools.files import file_tools
from wakeful.tools.files.file_tools import ListFiles, ReadFile
from wakeful.tools.files.replacing import replace_file
from wakeful.tools.files.workspace import Folders

FOLDERS = Folders(HOME)
READ, LIST, WRITE, EDIT = ReadFile(FOLDERS), ListFiles(FOLDERS), write_tool(), edit_tool()
_TOOLS: list[Tool | Gated] = [READ, LIST, WRITE]


async def _run(tool: Tool | Gated, workspace: Path, **arguments: Any) -> str:
    return (await run(tool, workspace, **arguments)).text


async def _failure(tool: Tool | Gated, workspace: Path, **arguments: Any) -> tuple[str, str]:
    answer = await failure(tool, workspace, **arguments)
    assert list(answer) == ["error", "code"]
    return answer["code"], answer["error"]


async def test_a_file_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_bytes(b"one\r\ntwo\n")

    assert await _run(READ, tmp_path, path="notes.txt") == "one\r\ntwo\n"


async def test_an_absolute_path_inside_the_workspace_is_read(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("one")

    assert await _run(READ, tmp_path, path=str(tmp_path / "notes.txt")) == "one"


async def test_some_lines_are_read_and_the_next_offset_is_named(tmp_path: Path) -> None:
    (tmp_path / "n").write_text("1\n2\n3\n4\n")

    assert await _run(READ, tmp_path, path="n", offset=2, limit=2) == (
        "2\n3\n[More lines follow; go on with offset 4.]"
    )
    assert await _run(READ, tmp_path, path="n", offset="4", limit="9") == "4\n"
    assert await _run(READ, tmp_path, path="n", offset=9) == "[The file ends before line 9.]"


async def test_a_long_file_is_cut_between_lines_and_can_be_read_on(tmp_path: Path) -> None:
    lines = [f"line {number}\n" for number in range(1, 10_001)]
    (tmp_path / "n").write_text("".join(lines))

    read, offset = "", 1
    while True:
        text = await _run(READ, tmp_path, path="n", offset=offset)
        assert len(text) <= RESULT_LIMIT
        text, mark, rest = text.partition("[Cut, the result is full; go on with offset ")
        read += text
        if not mark:
            break
        offset = int(rest.removesuffix(".]"))

    assert read == "".join(lines)


async def test_a_line_too_long_for_a_result_is_cut_and_skipped(tmp_path: Path) -> None:
    (tmp_path / "n").write_text("x" * 200_000 + "\nnext\n")

    text = await _run(READ, tmp_path, path="n")

    assert len(text) <= RESULT_LIMIT
    assert text.endswith("[Cut in line 1, which is too long for a result; go on with offset 2.]")
    assert await _run(READ, tmp_path, path="n", offset=2) == "next\n"


async def test_lines_far_into_a_file_are_found_as_bytes(tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_bytes(b"x" * 3_000_000 + b"\n" + b"\n" * 600_000 + "é\nlast".encode())

    assert await _run(READ, tmp_path, path="long.txt", offset=600_002) == "é\nlast"
    assert await _run(READ, tmp_path, path="long.txt", offset=600_003) == "last"
    assert await _run(READ, tmp_path, path="long.txt", offset=600_004) == "[The file ends before line 600004.]"


async def test_the_line_after_the_last_one_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("one\n")

    assert await _run(READ, tmp_path, path="one.txt", offset=2) == "[The file ends before line 2.]"


async def test_only_utf_8_is_text(tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"a\xff\xfeb")

    assert await _failure(READ, tmp_path, path="b") == ("binary", "b is not text in UTF-8.")


async def test_an_empty_file_says_so(tmp_path: Path) -> None:
    (tmp_path / "e").touch()

    assert await _run(READ, tmp_path, path="e") == "[The file is empty.]"


async def test_a_directory_is_listed(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "b.md").write_text("12345")
    (tmp_path / "a.txt").touch()
    (tmp_path / "lost").symlink_to("nowhere")

    assert await _run(LIST, tmp_path) == "a.txt  0 bytes\ndocs/\nlost  unreadable"
    assert await _run(LIST, tmp_path, path="docs") == "b.md  5 bytes"


async def test_deeper_entries_are_listed_by_their_path(tmp_path: Path) -> None:
    (tmp_path / "a/b/c").mkdir(parents=True)
    (tmp_path / "a/b/n.txt").write_text("12")
    (tmp_path / "link").symlink_to("a")

    assert await _run(LIST, tmp_path, depth=2) == "a/\na/b/\nlink/"
    assert await _run(LIST, tmp_path, depth=3) == "a/\na/b/\na/b/c/\na/b/n.txt  2 bytes\nlink/"
    assert await _failure(LIST, tmp_path, depth=6) == ("invalid_arguments", "depth must be a whole number from 1 to 5.")


async def test_a_folder_below_that_is_closed_is_listed_without_what_is_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("closed", "open"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "n.txt").touch()

    def scanned(folder: Path) -> AbstractContextManager[Iterator[os.DirEntry[str]]]:
        if folder.name == "closed":
            raise PermissionError
        return scanned_folder(folder)

    # Root, who may run the tests, can open every folder.
    monkeypatch.setattr(file_tools, "scanned_folder", scanned)

    assert await _run(LIST, tmp_path, depth=2) == "closed/\nopen/\nopen/n.txt  0 bytes"


async def test_an_empty_directory_says_so(tmp_path: Path) -> None:
    assert await _run(LIST, tmp_path) == "[The directory is empty.]"


async def test_a_long_listing_is_cut_and_says_how_much_is_missing(tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"{number:03}{'x' * 240}").touch()

    text = await _run(LIST, tmp_path)

    assert len(text) <= RESULT_LIMIT
    shown = text.count(" bytes")
    assert text.endswith(f"[Cut, the result is full; {300 - shown} more entries are not shown.]")


async def test_a_name_that_is_not_utf8_is_listed_with_a_replacement(tmp_path: Path) -> None:
    Path(os.fsdecode(bytes(tmp_path) + b"/\xff.txt")).touch()

    assert await _run(LIST, tmp_path) == "\N{REPLACEMENT CHARACTER}.txt  0 bytes"


async def test_a_file_is_written_with_its_directories(tmp_path: Path) -> None:
    text = await _run(WRITE, tmp_path, path="a/b/c.txt", content="häßlich\r\n")

    assert text == "Wrote 11 bytes to a/b/c.txt (created, +1 -0)."
    assert (tmp_path / "a/b/c.txt").read_bytes() == "häßlich\r\n".encode()
    assert os.listdir(tmp_path / "a/b") == ["c.txt"]


async def test_a_replaced_file_keeps_its_mode(tmp_path: Path) -> None:
    script = tmp_path / "run.sh"
    script.write_text("old")
    script.chmod(0o754)

    await _run(WRITE, tmp_path, path="run.sh", content="new")

    assert script.read_text() == "new"
    assert stat.S_IMODE(script.stat().st_mode) == 0o754


def test_a_file_that_its_owner_has_locked_is_not_replaced() -> None:
    # In a folder that all users may read; those that pytest makes are closed to other users.
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder, locked = Path(name), Path(name, "locked")
        locked.write_text("old")
        locked.chmod(0o444)
        folder.chmod(0o777)

        trying = multiprocessing.get_context("fork").Process(target=_replace_as_nobody, args=(locked,))
        trying.start()
        trying.join(PATIENCE)

        assert trying.exitcode == errno.EACCES
        assert [path.read_text() for path in folder.iterdir()] == ["old"]


def _replace_as_nobody(path: Path) -> None:
    # Root may write every file.
    if os.geteuid() == 0:
        os.setuid(65534)
    try:
        replace_file(path, b"new")
    except PermissionError as error:
        sys.exit(error.errno)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may write files of others and give them away")
async def test_a_replaced_file_keeps_its_owner_and_its_mode(tmp_path: Path) -> None:
    (tmp_path / "theirs").write_text("old")
    os.chown(tmp_path / "theirs", 1234, 1235)
    (tmp_path / "theirs").chmod(0o4750)

    await _run(WRITE, tmp_path, path="theirs", content="new")

    status = (tmp_path / "theirs").stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (1234, 1235, 0o4750)


async def test_a_new_file_has_an_ordinary_mode(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()

    await _run(WRITE, tmp_path, path="new", content="")

    assert (tmp_path / "new").stat().st_mode == (tmp_path / "plain").stat().st_mode


async def test_writing_through_a_link_inside_the_workspace_keeps_the_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")

    assert await _run(WRITE, tmp_path, path="link", content="new") == "Wrote 3 bytes to real (changed, +1 -1)."
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


async def test_a_write_that_fails_leaves_the_old_content_and_no_rubbish(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "n").write_text("old")

    def full_disk(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    failure = await _failure(WRITE, tmp_path, path="n", content="new")

    assert failure == ("tool_error", "n cannot be used: no space left on device.")
    assert os.listdir(tmp_path) == ["n"]
    assert (tmp_path / "n").read_text() == "old"


@pytest.mark.parametrize("tool", _TOOLS)
@pytest.mark.parametrize("path", ["..", "../outside", "/etc/passwd", "link", "link/passwd", "a/../../x"])
async def test_no_path_leads_out_of_the_workspace(tool: Tool | Gated, path: str, tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "link").symlink_to("/etc")

    failure = await _failure(tool, workspace, path=path, content="x")

    assert failure == ("outside", f"{path} is outside of the workspace.")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (READ, {"path": "d/key"}),
        (LIST, {"path": "d"}),
        (LIST, {"path": "d/."}),
        (WRITE, {"path": "d/key", "content": "x"}),
        (EDIT, {"path": "d/key", "old_text": "secret", "new_text": "x"}),
    ],
)
async def test_a_folder_that_becomes_a_link_after_the_check_leads_nowhere(
    tool: Tool | Gated, arguments: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "key").write_text("secret")
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "d").symlink_to(tmp_path / "out")
    # As if it had been a folder when the path was looked up.
    monkeypatch.setattr("wakeful.tools.files.workspace._resolved", lambda path: Path(os.path.normpath(path)))

    code, sentence = await _failure(tool, tmp_path / "work", **arguments)

    assert code == "not_a_folder"
    assert "secret" not in sentence
    assert (tmp_path / "out" / "key").read_text() == "secret"
    assert os.listdir(tmp_path / "out") == ["key"]


async def test_a_workspace_reached_through_a_link_is_usable(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")

    assert await _run(WRITE, tmp_path / "link", path="n", content="x") == "Wrote 1 bytes to n (created, +1 -0)."


@pytest.mark.parametrize("tool", _TOOLS)
async def test_links_in_a_circle_are_an_answer_not_an_exception(tool: Tool | Gated, tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")

    failure = await _failure(tool, tmp_path, path="a", content="x")

    assert failure == ("not_found", "a is a link that leads in a circle.")


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "text"),
    [
        (READ, {}, "invalid_arguments", "path must be the path of a file or folder in the workspace."),
        (READ, {"path": 7}, "invalid_arguments", "path must be the path of a file or folder in the workspace."),
        (READ, {"path": "a\0b"}, "invalid_arguments", "path must be the path of a file or folder in the workspace."),
        (READ, {"path": "none"}, "not_found", "none was not found."),
        (READ, {"path": "."}, "not_a_file", ". is not a file."),
        (READ, {"path": "pipe"}, "not_a_file", "pipe is not a file."),
        (READ, {"path": "bytes"}, "binary", "bytes is not a text file."),
        (READ, {"path": "n" * 300}, "invalid_arguments", f"{'n' * 300} is too long a name."),
        (READ, {"path": "file", "offset": 0}, "invalid_arguments", "offset must be a whole number from 1."),
        (READ, {"path": "file", "limit": "all"}, "invalid_arguments", "limit must be a whole number from 1."),
        (READ, {"path": "file", "limit": True}, "invalid_arguments", "limit must be a whole number from 1."),
        (LIST, {"path": "file"}, "not_a_folder", "file is not a folder."),
        (LIST, {"path": "none"}, "not_found", "none was not found."),
        (WRITE, {"path": "new"}, "invalid_arguments", "content must be a string."),
        (WRITE, {"path": ".", "content": "x"}, "not_a_file", ". is not a file."),
        (WRITE, {"path": "pipe", "content": "x"}, "not_a_file", "pipe is not a file."),
        (WRITE, {"path": "file/new", "content": "x"}, "not_a_folder", "file is not a folder."),
        (WRITE, {"path": "file/a/b", "content": "x"}, "not_a_folder", "file/a/b is not a folder."),
    ],
)
async def test_a_failure_is_a_code_and_a_clear_sentence(
    tool: Tool | Gated, arguments: dict[str, Any], code: str, text: str, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "bytes").write_bytes(b"a\0b")
    os.mkfifo(tmp_path / "pipe")

    assert await _failure(tool, tmp_path, **arguments) == (code, text)


async def test_the_folder_of_the_server_is_outside_though_the_workspace_is_around_it(tmp_path: Path) -> None:
    home = tmp_path / ".wakeful"
    (home / "workspace").mkdir(parents=True)
    (home / "key").write_text("secret")
    (tmp_path / "link").symlink_to(home)
    tools: list[Tool | Gated] = [ReadFile(Folders(home)), ListFiles(Folders(home)), write_tool(home=home)]
    paths = (".wakeful/key", ".wakeful", "link/key", ".wakeful/new")

    failures = [await _failure(tool, tmp_path, path=path, content="x") for tool in tools for path in paths]

    assert {code for code, _ in failures} == {"outside"}
    assert sorted(os.listdir(home)) == ["key", "workspace"]
    assert (home / "key").read_text() == "secret"


async def test_the_workspace_in_the_folder_of_the_server_is_usable(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "workspace").mkdir(parents=True)
    write, read = write_tool(home=home), ReadFile(Folders(home))

    assert await _run(write, home / "workspace", path="n", content="x") == "Wrote 1 bytes to n (created, +1 -0)."
    assert await _run(read, home / "workspace", path=str(home / "workspace" / "n")) == "x"
    assert (await _failure(read, home / "workspace", path="../key"))[0] == "outside"


async def test_a_workspace_that_was_replaced_by_a_link_into_the_folder_of_the_server_is_closed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for folder in ("workspace", "tasks"):
        (home / folder).mkdir(parents=True)
    (home / "tasks/x").touch()
    (home / "workspace/replaced").symlink_to("../tasks")

    assert (await _failure(ReadFile(Folders(home)), home / "workspace/replaced", path="x"))[0] == "outside"


@pytest.mark.parametrize(
    "path",
    [".git/hooks/pre-commit", "sub/.git/config", ".husky/x", ".envrc", ".vscode/tasks.json", ".bashrc", "link/x"],
)
async def test_a_file_that_runs_by_itself_is_written_only_if_a_person_allows_it(path: str, tmp_path: Path) -> None:
    (tmp_path / ".git/hooks").mkdir(parents=True)
    (tmp_path / "link").symlink_to(".git/hooks")
    denying, allowing = Person(Choice.DENY), Person(Choice.ONCE)

    refused = await _failure(write_tool(gate_of(denying)), tmp_path, path=path, content="one\n")
    assert not (tmp_path / path).exists()
    allowed = await _run(write_tool(gate_of(allowing)), tmp_path, path=path, content="one\n")

    assert refused[0] == "denied"
    assert allowed.startswith("Wrote 4 bytes")
    (question,) = allowing.asked
    assert (question.tool, [reason.kind for reason in question.reasons]) == ("write_file", ["runs_later"])
    assert question.preview.endswith("@@ -0,0 +1 @@\n+one")


async def test_the_preview_is_the_change_alone_and_has_an_end(tmp_path: Path) -> None:
    envrc = tmp_path / ".envrc"
    envrc.write_text("a\nb\n")
    person = Person(Choice.ONCE)
    write = write_tool(gate_of(person))

    await _run(write, tmp_path, path=".envrc", content="a\nc\n")
    await _run(write, tmp_path, path=".envrc", content="\n".join("x" * 100 for _ in range(2_400)))
    envrc.write_bytes(b"\0")
    await _run(write, tmp_path, path=".envrc", content="text")
    os.truncate(envrc, 30 * 1024 * 1024)
    await _run(write, tmp_path, path=".envrc", content="y")

    small, long, binary, large = (question.preview for question in person.asked)
    assert small == "--- a/.envrc\n+++ b/.envrc\n@@ -1,2 +1,2 @@\n a\n-b\n+c"
    assert (len(long), long.endswith("[Cut: the change is longer than this.]")) == (200_000, True)
    assert "is not a text file now" in binary
    assert "was too large to be compared" in large
