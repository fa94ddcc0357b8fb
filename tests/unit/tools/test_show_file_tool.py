"""`show_file`: files of the workspace are shown to the user or go into the chat of the turn, and no others."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.tools.kit import HOME, new_turn, run_tool
from wakeful.model.files.attachment import Attachment
from wakeful.model.session import Address
from wakeful.model.turn import Door, Turn
from wakeful.tools.files.workspace import Folders
from wakeful.tools.show_file_tool import ShowFileTool


class Poster:
    def __init__(self) -> None:
        self.posted: list[tuple[int, int, Path, str]] = []

    def most_bytes(self, turn: Turn) -> int | None:
        return 10 if turn.door.name == "telegram" else None

    async def post_file(self, turn: Turn, step: int, index: int, path: Path, caption: str) -> None:
        self.posted.append((step, index, path, caption))


class Keeper:
    most_bytes = 20

    def __init__(self) -> None:
        self.kept: list[tuple[str, Path]] = []

    async def keep_file(self, attachment_id: str, path: Path, session_id: str) -> Attachment:
        self.kept.append((attachment_id, path))
        return Attachment(attachment_id, path.name, "text/plain", path.stat().st_size)


def a_tool(poster: Poster, keeper: Keeper | None = None) -> ShowFileTool:
    return ShowFileTool(poster, keeper or Keeper(), lambda turn: turn.door.name == "web", Folders(HOME))


def a_turn(workspace: Path, platform: str = "telegram") -> Turn:
    return replace(new_turn(workspace), door=Door(platform, True), address=Address(platform, "1"))


async def test_a_file_is_posted_with_its_caption(tmp_path: Path) -> None:
    (tmp_path / "plan.txt").write_text("one")
    poster = Poster()

    told, _ = await run_tool(a_tool(poster), a_turn(tmp_path), path="plan.txt", caption="The plan")

    assert told == {"sent": "plan.txt"}
    assert poster.posted == [(1, 1, tmp_path / "plan.txt", "The plan")]


@pytest.mark.parametrize("path", ["/etc/passwd", "../outside.txt", "link", "big.txt", "folder", "gone.txt"])
async def test_what_is_outside_too_large_or_no_file_is_refused(tmp_path: Path, path: str) -> None:
    workspace = tmp_path / "work"
    (workspace / "folder").mkdir(parents=True)
    (tmp_path / "outside.txt").write_text("secret")
    (workspace / "link").symlink_to(tmp_path / "outside.txt")
    (workspace / "big.txt").write_text("x" * 11)
    poster = Poster()

    _, result = await run_tool(a_tool(poster), a_turn(workspace), path=path)

    assert result.is_error
    assert poster.posted == []


async def test_a_session_that_a_person_can_look_at_shows_the_file(tmp_path: Path) -> None:
    (tmp_path / "plan.txt").write_text("more than ten bytes")
    poster, keeper = Poster(), Keeper()

    told, result = await run_tool(a_tool(poster, keeper), a_turn(tmp_path, "web"), path="plan.txt")

    assert told == {"shown": "plan.txt"}
    assert [shown.name for shown in result.shows] == ["plan.txt"]
    assert poster.posted == []


async def test_a_call_that_runs_again_names_the_same_copy(tmp_path: Path) -> None:
    (tmp_path / "plan.txt").write_text("one")
    keeper, turn = Keeper(), a_turn(tmp_path, "web")

    for _ in range(2):
        await run_tool(a_tool(Poster(), keeper), turn, path="plan.txt")

    assert len({attachment_id for attachment_id, _ in keeper.kept}) == 1


async def test_where_nothing_can_show_it_the_call_is_refused(tmp_path: Path) -> None:
    (tmp_path / "plan.txt").write_text("one")

    told, result = await run_tool(a_tool(Poster()), a_turn(tmp_path, "api_server"), path="plan.txt")

    assert result.is_error
    assert "name the path to the user instead" in str(told)
