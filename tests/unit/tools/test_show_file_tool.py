"""`show_file`: files of the workspace are shown to the user or go into the chat of the turn, and no others."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.tools.kit import HOME, new_turn, run_tool, tool_context
from wakeful.errors import AttachmentTooLarge
from wakeful.model.files.attachment import Attachment
from wakeful.model.session import Address
from wakeful.model.turn import Door, Turn
from wakeful.tools.base import Intent
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


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/etc/passwd", "outside"),
        ("../outside.txt", "outside"),
        ("link", "outside"),
        ("big.txt", "too_large"),
        ("folder", "not_a_file"),
        ("gone.txt", "not_found"),
    ],
)
async def test_what_is_outside_too_large_or_no_file_is_refused(tmp_path: Path, path: str, code: str) -> None:
    workspace = tmp_path / "work"
    (workspace / "folder").mkdir(parents=True)
    (tmp_path / "outside.txt").write_text("secret")
    (workspace / "link").symlink_to(tmp_path / "outside.txt")
    (workspace / "big.txt").write_text("x" * 11)
    poster = Poster()

    told, result = await run_tool(a_tool(poster), a_turn(workspace), path=path)

    assert (result.is_error, told["code"]) == (True, code)
    assert poster.posted == []


async def test_the_limits_of_the_chat_and_of_the_page_count_each_for_itself(tmp_path: Path) -> None:
    (tmp_path / "ten").write_text("x" * 10)
    (tmp_path / "twenty").write_text("x" * 20)
    (tmp_path / "more").write_text("x" * 21)
    poster, keeper = Poster(), Keeper()
    keeper.most_bytes = 9

    sent, result = await run_tool(a_tool(poster, keeper), a_turn(tmp_path), path="ten", caption=7)
    keeper.most_bytes = 20
    kept, _ = await run_tool(a_tool(poster, keeper), a_turn(tmp_path, "web"), path="twenty")
    refused, _ = await run_tool(a_tool(poster, keeper), a_turn(tmp_path, "web"), path="more")

    # The chat takes more than the page gets a copy of.
    assert (sent, result.shows, poster.posted) == ({"sent": "ten"}, (), [(1, 1, tmp_path / "ten", "")])
    assert (kept, [path.name for _, path in keeper.kept]) == ({"shown": "twenty"}, ["twenty"])
    assert refused["error"] == "more is too large to be shown here: it has 0.0 MB, and the limit is 0 MB."


async def test_a_file_that_grows_while_it_is_copied_is_refused(tmp_path: Path) -> None:
    class Full(Keeper):
        async def keep_file(self, attachment_id: str, path: Path, session_id: str) -> Attachment:
            raise AttachmentTooLarge("It has grown.")

    (tmp_path / "plan.txt").write_text("one")

    told, result = await run_tool(a_tool(Poster(), Full()), a_turn(tmp_path, "web"), path="plan.txt")

    assert (told, result.is_error) == ({"error": "It has grown.", "code": "too_large"}, True)


async def test_nobody_is_asked_about_it_and_a_call_may_run_again(tmp_path: Path) -> None:
    tool, context = a_tool(Poster()), tool_context(tmp_path)

    assert (await tool.intent({}, context), await tool.may_rerun({}, context)) == (Intent(), True)


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
