"""`send_file`: files of the workspace go into the chat of the turn, and no others."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.tools.kit import HOME, new_turn, run_tool
from wakeful.model.session import Address
from wakeful.model.turn import Door, Turn
from wakeful.tools.files.workspace import Folders
from wakeful.tools.send_file_tool import SendFileTool


class Poster:
    def __init__(self) -> None:
        self.posted: list[tuple[int, int, Path, str]] = []

    def most_bytes(self, turn: Turn) -> int | None:
        return 10 if turn.door.name == "telegram" else None

    async def post_file(self, turn: Turn, step: int, index: int, path: Path, caption: str) -> None:
        self.posted.append((step, index, path, caption))


def a_turn(workspace: Path, platform: str = "telegram") -> Turn:
    return replace(new_turn(workspace), door=Door(platform, True), address=Address(platform, "1"))


async def test_a_file_is_posted_with_its_caption(tmp_path: Path) -> None:
    (tmp_path / "plan.txt").write_text("one")
    poster = Poster()

    told, _ = await run_tool(SendFileTool(poster, Folders(HOME)), a_turn(tmp_path), path="plan.txt", caption="The plan")

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

    _, result = await run_tool(SendFileTool(poster, Folders(HOME)), a_turn(workspace), path=path)

    assert result.is_error
    assert poster.posted == []


async def test_on_other_doors_it_says_where_files_can_be_sent(tmp_path: Path) -> None:
    (tmp_path / "plan.txt").write_text("one")

    told, result = await run_tool(SendFileTool(Poster(), Folders(HOME)), a_turn(tmp_path, "web"), path="plan.txt")

    assert result.is_error
    assert "Telegram, Discord and Slack only" in str(told)
