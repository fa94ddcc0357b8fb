import asyncio
import os
import shutil
from pathlib import Path

import pytest

from tests.unit.tools.files.kit import (
    ChangeRows,
    changer_on,
    edit_tool,
    failure,
    new_call,
    run,
    write_tool,
)
from tests.unit.tools.kit import HOME, Gated, Person, gate_of
from wakeful.errors import StoreUnavailable
from wakeful.model.approvals.approval import Choice
from wakeful.model.journal.change import ChangeKind, KeptChange
from wakeful.model.journal.transcript import INTERRUPTED
from wakeful.tools.files.change_tools import EditFile, WriteFile
from wakeful.tools.files.copies import DELETED, RESTORED, FileCopies
from wakeful.tools.files.file_changer import FileChanger
from wakeful.tools.files.workspace import Folders

EDIT, WRITE = edit_tool(), write_tool()
GIB = 1024**3


async def test_an_edit_replaces_the_one_occurrence_and_answers_with_its_diff(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("one\ntwo\nthree\n")

    result = await run(EDIT, tmp_path, path="a.py", old_text="two\n", new_text="2\n2.5\n")

    assert (tmp_path / "a.py").read_text() == "one\n2\n2.5\nthree\n"
    diff = "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n+2.5\n three"
    assert result.text == f"Changed a.py: +2 -1.\n{diff}"
    (change,) = result.changes
    assert (change.path, change.kind, change.added, change.removed) == ("a.py", ChangeKind.CHANGED, 2, 1)
    assert (change.diff, change.undoable, change.undone) == (diff, True, False)


async def test_the_names_of_another_tool_are_taken_too(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")

    await run(EDIT, tmp_path, path="a", old_string="x", new_string="y")

    assert (tmp_path / "a").read_text() == "y"


async def test_every_occurrence_is_replaced_on_request(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("aXbX\nX")

    result = await run(EDIT, tmp_path, path="a", old_text="X", new_text="", replace_all=True)

    assert (tmp_path / "a").read_text() == "ab\n"
    assert result.text.startswith("Changed a: +1 -2.\n")


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"a\r\nb\r\nc\r\n", "a\nb", "x\ny", b"x\r\ny\r\nc\r\n"),
        (b"a\r\nb\r\n", "b", "x\ny", b"a\r\nx\r\ny\r\n"),
        (b"a\nb\r\nc\n", "a", "x\ny", b"x\ny\nb\r\nc\n"),
        (b"a\r\nb", "a\r\nb", "c\r\nd", b"c\r\nd"),
        (b"a\r\nb", "b", "x\ny", b"a\r\nx\r\ny"),
        (b"a\r\nb\nc", "c", "x\ny", b"a\r\nb\nx\ny"),
        (b"\xef\xbb\xbfa\r\n", "a\n", "b\n", b"\xef\xbb\xbfb\r\n"),
        ("gr\u00fc\u00df".encode(), "\u00df", "ss", "gr\u00fcss".encode()),
    ],
)
async def test_an_edit_keeps_the_line_ends_and_the_byte_order_mark(
    before: bytes, old: str, new: str, after: bytes, tmp_path: Path
) -> None:
    (tmp_path / "a").write_bytes(before)

    await run(EDIT, tmp_path, path="a", old_text=old, new_text=new)

    assert (tmp_path / "a").read_bytes() == after


async def test_a_whole_file_keeps_its_line_ends_and_its_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfa\r\nb\r\n")

    result = await run(WRITE, tmp_path, path="a", content="a\nc\n")

    assert (tmp_path / "a").read_bytes() == b"\xef\xbb\xbfa\r\nc\r\n"
    assert result.text == "Wrote 9 bytes to a (changed, +1 -1)."
    # What the new content has already is not doubled; mixed line ends stay as they are written.
    await run(WRITE, tmp_path, path="a", content="\ufeffx\r\ny\n")
    assert (tmp_path / "a").read_bytes() == b"\xef\xbb\xbfx\r\ny\r\n"
    (tmp_path / "a").write_bytes(b"a\r\nb\n")
    await run(WRITE, tmp_path, path="a", content="x\n")
    assert (tmp_path / "a").read_bytes() == b"x\n"


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        ({"old_text": "", "new_text": "x"}, "invalid_arguments", "old_text must not be empty"),
        ({"old_text": 1, "new_text": "x"}, "invalid_arguments", "old_text must be a string"),
        ({"old_text": "a"}, "invalid_arguments", "new_text must be a string"),
        ({"old_text": "a", "new_text": "b", "replace_all": "yes"}, "invalid_arguments", "replace_all must be true"),
        ({"old_text": "a", "new_text": "a"}, "unchanged", "old_text and new_text are the same"),
        ({"old_text": "x\ny", "new_text": "x\r\ny", "path": "crlf"}, "unchanged", "old_text and new_text differ in"),
        ({"old_text": "aa", "new_text": "b"}, "not_unique", "old_text occurs 2 times in text, at lines 2, 2:"),
        ({"old_text": "one", "new_text": "b"}, "not_unique", "old_text occurs 3 times in text, at lines 1, 3, 4:"),
        ({"old_text": "a", "new_text": "b", "path": "none"}, "not_found", "none was not found"),
        ({"old_text": "a", "new_text": "b", "path": "."}, "not_a_file", ". is not a file"),
        ({"old_text": "a", "new_text": "b", "path": "bytes"}, "binary", "bytes is not a text file"),
        ({"old_text": "a", "new_text": "b", "path": "latin"}, "binary", "latin is not a text file"),
        ({"old_text": "a", "new_text": "b", "path": "text/x"}, "not_a_folder", "text/x is not a folder"),
        ({"old_text": "a", "new_text": "b", "path": "out"}, "outside", "out is outside of the workspace"),
    ],
)
async def test_an_edit_that_cannot_be_made_says_why_and_changes_nothing(
    arguments: dict[str, object], code: str, sentence: str, tmp_path: Path
) -> None:
    (tmp_path / "text").write_text("one\naaa\none\none\n")
    (tmp_path / "bytes").write_bytes(b"a\0")
    (tmp_path / "latin").write_bytes(b"a\xe4")
    (tmp_path / "crlf").write_bytes(b"x\r\ny\r\n")
    (tmp_path / "out").symlink_to("/etc/hostname")

    answer = await failure(EDIT, tmp_path, **{"path": "text"} | arguments)

    assert answer["code"] == code
    assert answer["error"].startswith(sentence)
    assert (tmp_path / "text").read_text() == "one\naaa\none\none\n"


async def test_without_a_match_the_nearest_lines_are_shown_with_their_numbers(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import os\n\ndef area(width):\n    total = width * 2\n    return total\n")

    moved = await failure(EDIT, tmp_path, path="a.py", old_text="  total = width * 2\n  return total", new_text="")
    typo = await failure(EDIT, tmp_path, path="a.py", old_text="def aera(width):", new_text="")
    nothing = await failure(EDIT, tmp_path, path="a.py", old_text="zzz qqq", new_text="")

    assert moved["error"] == "old_text was not found in a.py."
    assert moved["nearest"] == [
        {"line": 4, "text": "    total = width * 2"},
        {"line": 5, "text": "    return total"},
    ]
    assert typo["nearest"] == [{"line": 3, "text": "def area(width):"}]
    assert nothing["nearest"] == []
    (tmp_path / "b").write_text("vwxyz\nabcde\n")
    assert (await failure(EDIT, tmp_path, path="b", old_text="abcfg", new_text=""))["nearest"] == [
        {"line": 2, "text": "abcde"}
    ]


async def test_of_many_lines_ten_are_shown_where_most_of_the_text_stands(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("\r\n".join(["x = 1", *(f"line {number}" for number in range(20)), "x = 1", "y" * 600]))
    wanted = "\n".join(["x = 1", *(f"line  {number}" for number in range(5)), *(f"line {n}" for n in range(5, 15))])

    window = (await failure(EDIT, tmp_path, path="a", old_text=wanted, new_text=""))["nearest"]
    long = (await failure(EDIT, tmp_path, path="a", old_text="y" * 599 + "z", new_text=""))["nearest"]
    alike = (await failure(EDIT, tmp_path, path="a", old_text="lime 7", new_text=""))["nearest"]

    assert window == [{"line": 1, "text": "x = 1"}, *({"line": n + 2, "text": f"line {n}"} for n in range(9))]
    assert long == [{"line": 23, "text": "y" * 500}]
    assert len(alike) == 10
    assert {"line": 9, "text": "line 7"} in alike
    assert alike == sorted(alike, key=lambda shown: shown["line"])


async def test_a_text_that_occurs_very_often_is_named_at_its_first_lines(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x\n" * 21)

    error = (await failure(EDIT, tmp_path, path="a", old_text="x", new_text="y"))["error"]

    lines = ", ".join(str(number) for number in range(1, 21))
    assert error.startswith(f"old_text occurs 21 times in a, at lines {lines}, …: give more")
    (tmp_path / "a").write_text("x\n" * 20)
    assert "20: give more" in (await failure(EDIT, tmp_path, path="a", old_text="x", new_text="y"))["error"]


async def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "huge").write_bytes(b"text")
    os.truncate(tmp_path / "huge", GIB)

    assert (await failure(EDIT, tmp_path, path="huge", old_text="text", new_text="x"))["code"] == "too_large"
    result = await run(WRITE, tmp_path, path="huge", content="x\n")

    assert (tmp_path / "huge").read_text() == "x\n"
    (change,) = result.changes
    assert (change.diff, change.undoable) == (
        "[huge was too large to be compared; the lines that it had are not counted.]",
        False,
    )


async def test_extra_folders_are_used_like_the_workspace(tmp_path: Path) -> None:
    workspace, extra = tmp_path / "workspace", tmp_path / "extra"
    workspace.mkdir()
    extra.mkdir()

    write = write_tool(extra=(extra,))
    assert (await run(write, workspace, path=str(extra / "a"), content="x")).changes[0].path == str(extra / "a")
    assert (await failure(write, workspace, path="../other", content="x"))["code"] == "outside"


async def test_the_same_content_again_is_no_change(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("same\n")

    result = await run(WRITE, tmp_path, path="a", content="same\n")

    assert (result.text, result.changes) == ("Wrote 5 bytes to a (changed, +0 -0).", ())


async def test_a_question_about_an_edit_shows_its_diff(tmp_path: Path) -> None:
    (tmp_path / ".envrc").write_text("a\n")
    person = Person(Choice.DENY)

    answer = await failure(edit_tool(gate_of(person)), tmp_path, path=".envrc", old_text="a", new_text="b")

    assert answer["code"] == "denied"
    (question,) = person.asked
    assert question.tool == "edit_file"
    assert question.preview == "--- a/.envrc\n+++ b/.envrc\n@@ -1 +1 @@\n-a\n+b"
    assert (tmp_path / ".envrc").read_text() == "a\n"


@pytest.mark.parametrize("kind", [EditFile, WriteFile])
async def test_a_call_that_was_cut_off_finds_out_whether_it_was_done(
    kind: type[EditFile | WriteFile], tmp_path: Path
) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    file = workspace / "a"
    file.write_text("old\n")
    tool = _tool_with_rows(kind, tmp_path)
    arguments = {"path": "a", "content": "new\n", "old_text": "old", "new_text": "new"}
    context = new_call(workspace)

    first = await tool.run(arguments, context)
    assert await tool.run(arguments, context) == first
    assert file.read_text() == "new\n"

    file.write_text("old\n")
    assert await tool.run(arguments, context) == first
    assert file.read_text() == "new\n"

    file.write_text("another\n")
    assert (await tool.run(arguments, context)).text == INTERRUPTED
    assert file.read_text() == "another\n"


async def test_a_call_that_was_cut_off_after_it_wrote_over_a_large_file_has_the_same_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wakeful.tools.files.drafts.LARGEST_KEPT", 3)
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "a").write_text("four")
    tool, context = _tool_with_rows(WriteFile, tmp_path), new_call(workspace)

    first = await tool.run({"path": "a", "content": "new\nlines"}, context)

    assert first.text == "Wrote 9 bytes to a (changed, +2 -0)."
    assert await tool.run({"path": "a", "content": "new\nlines"}, context) == first
    assert await tool.tool.may_rerun({}, context) is True


async def test_a_change_is_taken_back_once_and_a_second_time_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("one")
    rows, copies = ChangeRows(), FileCopies(tmp_path / "home")
    tool = WriteFile(FileChanger(rows, copies), Folders(HOME))
    for name in ("old", "new"):
        await run(tool, tmp_path, path=name, content="two")
    changed, made = rows.all.values()

    outcomes = [await copies.take_back(each, force=False) for each in (changed, made, changed, made)]

    assert outcomes == [RESTORED, DELETED, RESTORED, DELETED]
    assert ((tmp_path / "old").read_text(), (tmp_path / "new").exists()) == ("one", False)


async def test_a_file_comes_back_with_the_folders_that_are_gone(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/old").write_text("one")
    rows, copies = ChangeRows(), FileCopies(tmp_path / "home")
    await run(WriteFile(FileChanger(rows, copies), Folders(HOME)), tmp_path, path="a/b/old", content="two")
    shutil.rmtree(tmp_path / "a")

    (outcome,) = [await copies.take_back(each, force=True) for each in rows.all.values()]

    assert (outcome, (tmp_path / "a/b/old").read_text()) == (RESTORED, "one")


async def test_a_file_that_may_not_be_written_stays_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "locked").write_text("old")
    # As for an ordinary user: root may write everything.
    monkeypatch.setattr(os, "access", lambda name, mode, *, dir_fd: False)

    answer = await failure(WRITE, tmp_path, path="locked", content="new")

    assert answer["error"] == "locked cannot be used: permission denied."
    assert (tmp_path / "locked").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["locked"]


async def test_a_file_of_another_user_is_written_where_it_cannot_be_given_back_to_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(file: int, user: int, group: int) -> None:
        raise PermissionError

    (tmp_path / "theirs").write_text("old")
    monkeypatch.setattr(os, "geteuid", lambda: 4_242)
    monkeypatch.setattr(os, "fchown", refuse)

    await run(WRITE, tmp_path, path="theirs", content="new")

    assert (tmp_path / "theirs").read_text() == "new"


async def test_a_file_keeps_its_mode_and_is_never_wider_while_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modes: list[int] = []
    sync = os.fsync

    def look(file: int) -> None:
        modes.extend(path.stat().st_mode & 0o777 for path in tmp_path.glob(".write_*"))
        sync(file)

    (tmp_path / "secret").write_text("old")
    (tmp_path / "secret").chmod(0o640)
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", look)
        await run(WRITE, tmp_path, path="secret", content="new")

    assert modes == [0o640]
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o640


async def test_a_call_that_runs_again_waits_for_whoever_writes_the_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old\n")
    changer = changer_on(tmp_path / "home", ChangeRows())
    tool, context, arguments = WriteFile(changer, Folders(HOME)), new_call(tmp_path), {"path": "a", "content": "new\n"}
    first = await tool.run(arguments, context)

    async with changer.lock_of(tmp_path / "a"):
        (tmp_path / "a").write_text("half")
        again = asyncio.create_task(tool.intent(arguments, context))
        await asyncio.wait([again], timeout=0.05)
        (tmp_path / "a").write_text("new\n")

    assert await again == first


async def test_a_change_that_could_not_be_made_leaves_no_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_text("old")
    rows = ChangeRows()
    tool = WriteFile(changer_on(tmp_path / "home", rows), Folders(HOME))

    replace = os.replace

    def full_disk(path: str, target: str, **folders: int) -> None:
        if target == "a":
            raise OSError(28, "No space left on device")
        replace(path, target, **folders)

    monkeypatch.setattr(os, "replace", full_disk)
    await failure(tool, tmp_path, path="a", content="new")

    assert rows.all == {}
    assert [path for path in (tmp_path / "home").rglob("*") if path.is_file()] == []


async def test_what_stood_there_is_kept_as_long_as_a_record_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Unreachable(ChangeRows):
        async def give_up(self, change: KeptChange) -> None:
            raise StoreUnavailable("The database cannot be reached.")

    (tmp_path / "a").write_text("old")
    tool = WriteFile(changer_on(tmp_path / "home", Unreachable()), Folders(HOME))

    def refuse(path: Path, content: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("wakeful.tools.files.file_changer.replace_file", refuse)
    with pytest.raises(StoreUnavailable):
        await run(tool, tmp_path, path="a", content="new")

    assert len([path for path in (tmp_path / "home").rglob("*") if path.is_file()]) == 1


def _tool_with_rows(kind: type[EditFile | WriteFile], tmp_path: Path) -> Gated:
    return Gated(kind(changer_on(tmp_path / "home", ChangeRows()), Folders(HOME)), gate_of(Person(None)))
