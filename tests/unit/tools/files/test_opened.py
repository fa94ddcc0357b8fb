"""What is open to a session in the server's own folder: its memory, its attachments and skills, and nothing else."""

import os
from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from tests.unit.model.files.test_file_type import PNG
from tests.unit.tools.files.kit import changer_on
from tests.unit.tools.kit import new_turn
from wakeful.model.approvals.reason_kinds import EDIT, MEMORY
from wakeful.model.files.attachment import PICTURE_BYTES
from wakeful.model.system_prompt import SystemPrompt
from wakeful.model.turn import Turn
from wakeful.tools.base import Intent, ToolContext, ToolResult
from wakeful.tools.files.change_tools import EditFile, WriteFile
from wakeful.tools.files.file_tools import ReadFile
from wakeful.tools.files.workspace import Folders


async def run(tool: ReadFile | WriteFile | EditFile, turn: Turn, **arguments: str) -> ToolResult:
    return await tool.run(arguments, ToolContext(turn, 1, 1, "call_1"))


def a_write_tool(home: Path) -> WriteFile:
    return WriteFile(changer_on(home), Folders(home))


def code_of(result: ToolResult) -> str:
    return str(orjson.loads(result.text)["code"])


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home" / "workspace").mkdir(parents=True)
    (tmp_path / "home" / "key").write_text("secret")
    return tmp_path / "home"


@pytest.fixture
def turn(home: Path) -> Turn:
    prompt = SystemPrompt("", str(home / "memory.md"), (str(home / "skills" / "slides"),))
    return replace(new_turn(home / "workspace"), system_prompt=prompt)


async def test_the_memory_is_written_and_read(home: Path, turn: Turn) -> None:
    path = str(home / "memory.md")
    await run(a_write_tool(home), turn, path=path, content="Her cat is called Mia.")
    read = await run(ReadFile(Folders(home)), turn, path=path)

    assert (home / "memory.md").read_text() == "Her cat is called Mia."
    assert read.text == "Her cat is called Mia."


async def test_a_memory_that_would_get_too_long_stays_as_it_is(home: Path, turn: Turn) -> None:
    (home / "memory.md").write_text("short")

    result = await run(a_write_tool(home), turn, path=str(home / "memory.md"), content="ü" * 8_193)

    assert result.is_error
    assert code_of(result) == "too_large"
    assert (home / "memory.md").read_text() == "short"


async def test_the_memory_is_edited_within_its_limit(home: Path, turn: Turn) -> None:
    path = str(home / "memory.md")
    (home / "memory.md").write_text("one cat")
    tool = EditFile(changer_on(home), Folders(home))

    edited = await run(tool, turn, path=path, old_text="one", new_text="two")
    too_long = await run(tool, turn, path=path, old_text="two", new_text="x" * 16_384)

    assert [change.kind for change in edited.changes] == ["changed"]
    assert code_of(too_long) == "too_large"
    assert (home / "memory.md").read_text() == "two cat"


async def test_a_change_of_it_is_named_to_the_gate(home: Path, turn: Turn) -> None:
    context = ToolContext(turn, 1, 1, "call_1")

    intent = await a_write_tool(home).intent({"path": str(home / "memory.md"), "content": "x"}, context)

    assert isinstance(intent, Intent)
    assert [reason.kind for reason in intent.reasons] == [MEMORY, EDIT]


async def test_skills_and_own_attachments_can_be_read_and_nothing_else(home: Path, turn: Turn) -> None:
    for name in ("skills/slides/notes.txt", f"attachments/{turn.session_id}/a.txt"):
        (home / name).parent.mkdir(parents=True)
        (home / name).write_text("open")
        assert (await run(ReadFile(Folders(home)), turn, path=str(home / name))).text == "open"
    for name in ("skills/other/SKILL.md", "attachments/ses_other/a.txt", "attachments/all/att_1", "key"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("closed")
        assert code_of(await run(ReadFile(Folders(home)), turn, path=str(home / name))) == "outside"


async def test_without_a_memory_the_file_is_closed(home: Path, turn: Turn) -> None:
    bare = replace(turn, system_prompt=SystemPrompt())

    result = await run(a_write_tool(home), bare, path=str(home / "memory.md"), content="Mine now.")

    assert code_of(result) == "outside"


async def test_a_picture_of_the_largest_size_is_shown_and_a_larger_one_is_not(home: Path, turn: Turn) -> None:
    picture = home / "workspace" / "cat.png"
    picture.write_bytes(PNG)
    os.truncate(picture, PICTURE_BYTES)
    shown = await run(ReadFile(Folders(home)), turn, path="cat.png")
    os.truncate(picture, PICTURE_BYTES + 1)

    assert [len(each.data) for each in shown.pictures] == [PICTURE_BYTES]
    assert code_of(await run(ReadFile(Folders(home)), turn, path="cat.png")) == "too_large"


async def test_a_picture_is_read_with_its_size_and_a_huge_one_is_only_named(home: Path, turn: Turn) -> None:
    workspace = home / "workspace"
    (workspace / "cat.txt").write_bytes(PNG)
    (workspace / "wide.png").write_bytes(PNG[:16] + (100_000).to_bytes(4, "big") + PNG[20:])
    (workspace / "large.png").write_bytes(PNG + b"\0" * 5 * 1024 * 1024)

    cat = await run(ReadFile(Folders(home)), turn, path="cat.txt")
    wide = await run(ReadFile(Folders(home)), turn, path="wide.png")
    large = await run(ReadFile(Folders(home)), turn, path="large.png")

    assert cat.text == f"[Image: cat.txt, 640×480, {len(PNG)} bytes]"  # noqa: RUF001
    assert [(picture.type, picture.data) for picture in cat.pictures] == [("image/png", PNG)]
    assert "too many pixels" in wide.text
    assert wide.pictures == ()
    assert code_of(large) == "too_large"
