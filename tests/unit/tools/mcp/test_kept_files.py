"""What is kept of MCP servers in the home folder, and what its loss would cost: nothing."""

import select
import stat
import subprocess
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.patience import PATIENCE
from tests.unit.tools.kit import new_turn
from wakeful.tools.mcp.kept_files import KeptFiles
from wakeful.tools.mcp.listing import ListedTool, ToolListing
from wakeful.tools.mcp.settings import McpServerSettings
from wakeful.tools.processes.kernel.identity import Identity, identity_of, own_identity

SERVER = McpServerSettings("raw", command="serve", args=("a",), cwd="/srv", tools=frozenset({"one", "two"}))
LISTING = ToolListing((ListedTool("one", "Does one.", {"type": "object"}, read_only=True),), left_out=3)


def test_a_listing_comes_back_whole_to_the_server_of_its_name_alone(tmp_path: Path) -> None:
    KeptFiles(tmp_path).keep_listing(SERVER, LISTING)

    files = KeptFiles(tmp_path)
    assert files.listing(SERVER) == LISTING
    assert files.listing(replace(SERVER, name="other")) is None


@pytest.mark.parametrize(
    "change",
    [{"command": "x"}, {"args": ()}, {"cwd": ""}, {"url": "http://x"}, {"tools": None}, {"tools": frozenset({"one"})}],
    ids=["command", "args", "cwd", "url", "all tools", "tools"],
)
def test_a_listing_of_another_server_under_the_same_name_does_not_count(tmp_path: Path, change: dict[str, Any]) -> None:
    files = KeptFiles(tmp_path)
    files.keep_listing(SERVER, LISTING)

    assert files.listing(replace(SERVER, **change)) is None


def test_a_secret_or_a_wait_makes_no_other_server_and_is_not_kept(tmp_path: Path) -> None:
    files = KeptFiles(tmp_path)
    files.keep_listing(replace(SERVER, env={"TOKEN": "hidden-1"}), LISTING)

    assert files.listing(replace(SERVER, env={"TOKEN": "hidden-2"}, trust=True, start_seconds=1.0)) == LISTING
    assert "hidden" not in (tmp_path / "mcp" / "raw.json").read_text()


def test_files_are_whole_when_they_appear_and_their_folder_is_for_its_owner_only(tmp_path: Path) -> None:
    KeptFiles(tmp_path).keep_listing(SERVER, LISTING)

    assert [path.name for path in (tmp_path / "mcp").iterdir()] == ["raw.json"]
    assert stat.S_IMODE((tmp_path / "mcp").stat().st_mode) == 0o700


def test_what_cannot_be_kept_is_told_and_hurts_nobody(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "mcp").write_text("in the way")
    files, turn = KeptFiles(tmp_path), new_turn(tmp_path)

    files.keep_listing(SERVER, LISTING)
    files.keep_toolset(turn, {"tools": []})
    with files.noted_process("raw", own_identity()):
        pass

    assert (files.listing(SERVER), files.toolset(turn)) == (None, None)
    assert "raw.json could not be kept: File exists" in caplog.text


def test_a_turn_has_the_tools_that_were_kept_last_for_it_and_equal_ones_are_kept_once(tmp_path: Path) -> None:
    files, turn = KeptFiles(tmp_path), new_turn(tmp_path)
    other = replace(turn, session_id="sess_2", id="turn_2")
    for each in (turn, other):
        files.keep_toolset(each, {"tools": ["a"]})
    assert len(list((tmp_path / "mcp" / "toolsets").iterdir())) == 1

    files.keep_toolset(turn, {"tools": ["b"]})

    assert (files.toolset(turn), files.toolset(other)) == ({"tools": ["b"]}, {"tools": ["a"]})
    assert files.toolset(replace(turn, id="turn_3")) is None


def test_a_process_is_noted_with_its_owner_until_it_ends(tmp_path: Path) -> None:
    process = Identity(4_000_001, 5)

    with KeptFiles(tmp_path).noted_process("raw", process):
        (note,) = (tmp_path / "mcp").iterdir()
        content = orjson.loads(note.read_bytes())

    assert note.name == "raw-4000001.pid"
    assert content == {"owner": asdict(own_identity()), "process": {"pid": 4_000_001, "start_time": 5}}
    assert list((tmp_path / "mcp").iterdir()) == []


def test_the_note_of_a_process_goes_also_when_it_fails(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="odd"), KeptFiles(tmp_path).noted_process("raw", own_identity()):
        raise ValueError("odd")

    assert list((tmp_path / "mcp").iterdir()) == []


def test_what_an_ended_server_has_left_in_its_group_is_ended_too(tmp_path: Path) -> None:
    command = "sleep 100 & echo $!; read line"
    with subprocess.Popen(
        ["sh", "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as server:
        assert server.stdout is not None
        server.stdout.readline()
        leader = identity_of(server.pid)
        assert leader is not None
        with KeptFiles(tmp_path).noted_process("raw", leader):
            (note,) = (tmp_path / "mcp").iterdir()
            content = note.read_bytes()
        gone = Identity(leader.pid, leader.start_time - 1)
        note.write_bytes(orjson.dumps(orjson.loads(content) | {"owner": asdict(gone)}))
        assert server.stdin is not None
        server.stdin.close()
        server.wait(PATIENCE)

        KeptFiles(tmp_path).clean_up()

        # The pipe ends with the last process that holds it.
        assert select.select([server.stdout], [], [], PATIENCE)[0] == [server.stdout]
    assert list((tmp_path / "mcp").iterdir()) == []
