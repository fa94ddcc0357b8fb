"""What is kept of MCP servers between turns, crashes and starts."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.mcp.kit import call, eventually, only, raw, running, tools_of
from tests.patience import PATIENCE
from tests.unit.tools.kit import Person, new_turn
from wakeful.model.approvals.approval import Choice
from wakeful.model.approvals.mode import Mode
from wakeful.model.tools.mcp import McpState
from wakeful.tools.base import Intent, ToolContext
from wakeful.tools.mcp import server
from wakeful.tools.mcp.failures import ServerEnded
from wakeful.tools.mcp.kept_files import KeptFiles
from wakeful.tools.mcp.listing import ListedTool, ToolListing
from wakeful.tools.mcp.mcp_tool import McpTool
from wakeful.tools.mcp.server import Connect
from wakeful.tools.mcp.server_log import MOST_BYTES
from wakeful.tools.mcp.servers import McpServers
from wakeful.tools.mcp.settings import McpServerSettings
from wakeful.tools.processes.kernel.identity import Identity, identity_of, own_identity


async def test_nothing_starts_before_a_turn_needs_tools(tmp_path: Path) -> None:
    async with running(tmp_path, raw(), raw(name="off", enabled=False)) as servers:
        before = [status.state for status in servers.statuses()]
        await servers.toolset(new_turn(tmp_path))
        after = [status.state for status in servers.statuses()]

    assert before == [McpState.IDLE, McpState.DISABLED]
    assert after == [McpState.READY, McpState.DISABLED]


async def test_the_package_is_loaded_before_a_turn_needs_it_unless_no_server_is_enabled(tmp_path: Path) -> None:
    loaded: list[str] = []

    def servers_that_note(name: str, *, enabled: bool) -> McpServers:
        def load() -> Connect:
            loaded.append(name)
            raise ServerEnded("its package is missing")

        return McpServers([raw(name=name, enabled=enabled)], KeptFiles(tmp_path), load, wait_seconds=0.0)

    servers_that_note("off", enabled=False).prepare()
    prepared = servers_that_note("on", enabled=True)
    prepared.prepare()
    await eventually(lambda: bool(loaded))

    assert loaded == ["on"]
    assert only(prepared).state is McpState.IDLE


async def test_a_call_does_not_count_the_import_of_the_package_as_an_absence_of_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_PATIENCE_SECONDS", 0.0)
    is_imported = threading.Event()

    def load() -> Connect:
        is_imported.wait(PATIENCE)
        raise ServerEnded("its package is missing")

    calling = asyncio.create_task(server.McpServer(raw(), KeptFiles(tmp_path), load).call("echo", {}))
    done, _ = await asyncio.wait([calling], timeout=0.05)
    is_imported.set()

    assert not done
    with pytest.raises(ServerEnded, match="its package is missing"):
        await calling


async def test_the_next_start_offers_the_kept_tools_at_once(tmp_path: Path) -> None:
    async with running(tmp_path, raw()) as servers:
        first = await tools_of(servers, tmp_path)
    # The server hangs now; its settings are the same.
    slow = replace(raw(), start_seconds=60.0)
    async with running(tmp_path, slow, wait_seconds=60.0) as servers:
        shown = only(servers)
        second = await tools_of(servers, tmp_path)
        state = only(servers).state

    assert second.keys() == first.keys()
    assert (shown.state, len(shown.tools)) == (McpState.IDLE, len(first))
    assert state is not McpState.READY


async def test_another_command_under_the_same_name_does_not_inherit_the_tools(tmp_path: Path) -> None:
    async with running(tmp_path, raw()) as servers:
        await tools_of(servers, tmp_path)
    async with running(tmp_path, raw("lists odd tools")) as servers:
        assert only(servers).tools == ()


async def test_a_turn_keeps_its_tools_and_its_line_through_a_crash(tmp_path: Path) -> None:
    turn = new_turn(tmp_path)
    async with running(tmp_path, raw(), McpServerSettings("gone", command="no-such-program")) as servers:
        before = await servers.toolset(turn)
        await call(servers, tmp_path, "mcp__raw__change")
        await eventually(lambda: any(facts.tool == "late" for facts in servers.statuses()[0].tools))
        await servers.toolset(replace(turn, id="turn_2", session_id="sess_2"))
    async with running(tmp_path, raw(), raw(name="gone")) as servers:
        resumed = await servers.toolset(replace(turn, epoch=2))
        fresh = await servers.toolset(replace(turn, id="turn_3"))

    assert [tool.spec for tool in resumed.tools] == [tool.spec for tool in before.tools]
    assert resumed.note == before.note != fresh.note


@pytest.mark.parametrize(("tool", "reruns"), [("echo", True), ("again", True), ("write", False)])
async def test_a_cut_call_runs_again_only_if_its_hints_allow_it(tmp_path: Path, tool: str, reruns: bool) -> None:
    async with running(tmp_path, raw()) as servers:
        found = (await tools_of(servers, tmp_path))[f"mcp__raw__{tool}"]

        assert await found.may_rerun({}, ToolContext(new_turn(tmp_path), 1, 1, "call_1")) is reruns


@pytest.mark.parametrize("trust", [False, True])
async def test_hints_and_trust_decide_who_is_asked_in_each_mode(tmp_path: Path, trust: bool) -> None:
    found: dict[tuple[str, Mode], str] = {}
    async with running(tmp_path, raw(trust=trust)) as servers:
        for tool in ("echo", "write"):
            for mode in Mode:
                person = Person(Choice.ONCE, mode=mode)
                result = await call(servers, tmp_path, f"mcp__raw__{tool}", person=person)
                found[tool, mode] = "read_only" if "read_only" in result.text else "asks" if person.asked else "runs"

    writing = ["read_only", *(["runs", "runs"] if trust else ["asks", "asks"]), "runs"]
    assert [found["write", mode] for mode in Mode] == writing
    assert [found["echo", mode] for mode in Mode] == ["runs" if trust else "read_only", "runs", "runs", "runs"]


async def test_a_server_gets_the_environment_of_commands_and_its_own(tmp_path: Path) -> None:
    async with running(tmp_path, raw(env={"API_TOKEN": "t"})) as servers:
        result = await call(servers, tmp_path, "mcp__raw__environment")

    assert orjson.loads(result.text).keys() - {"LC_CTYPE"} == {"PATH", "API_TOKEN"}


async def test_what_a_server_says_on_stderr_is_in_a_log_that_stays_small(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "mcp-raw.log"
    log.parent.mkdir()
    log.write_bytes(b"old line\n" * (MOST_BYTES // 9))
    async with running(tmp_path, raw()) as servers:
        await call(servers, tmp_path, "mcp__raw__echo")

    assert log.stat().st_size <= MOST_BYTES
    assert log.read_text().endswith("old line\nplain says hello\n")


async def test_a_server_works_where_nothing_can_be_kept_of_it(tmp_path: Path) -> None:
    for name in ("logs", "mcp"):
        (tmp_path / name).write_text("This file is in the way of a folder.")
    async with running(tmp_path, raw()) as servers:
        result = await call(servers, tmp_path, "mcp__raw__echo")

        assert not result.is_error
        assert only(servers).error == ""


async def test_a_restart_begins_a_new_process_at_once(tmp_path: Path) -> None:
    async with running(tmp_path, raw()) as servers:
        await call(servers, tmp_path, "mcp__raw__echo")
        assert await servers.restart("raw")
        await eventually(lambda: only(servers).state is McpState.READY)

        assert only(servers).restarts == 1
        assert not await servers.restart("nobody")


def test_a_server_whose_wakeful_was_killed_is_ended_by_the_next_start(tmp_path: Path) -> None:
    owner = subprocess.Popen([sys.executable, "-c", ""])
    gone = identity_of(owner.pid)
    assert gone is not None
    owner.wait()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True) as orphan:
        left = identity_of(orphan.pid)
        assert left is not None
        _note(tmp_path, gone, left)
        open_files = set(os.listdir("/proc/self/fd"))

        KeptFiles(tmp_path).clean_up()

        assert set(os.listdir("/proc/self/fd")) <= open_files
        assert orphan.wait(PATIENCE) == -signal.SIGKILL
    assert list((tmp_path / "mcp").glob("*.pid")) == []


def test_a_note_that_is_gone_already_does_not_spoil_the_end_of_a_server(tmp_path: Path) -> None:
    with KeptFiles(tmp_path).noted_process("files", own_identity()):
        (note,) = (tmp_path / "mcp").glob("*.pid")
        note.unlink()


def test_a_server_of_another_wakeful_that_runs_is_left_alone(tmp_path: Path) -> None:
    own = identity_of(os.getpid())
    assert own is not None
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True) as server:
        theirs = identity_of(server.pid)
        assert theirs is not None
        _note(tmp_path, own, theirs)

        open_files = set(os.listdir("/proc/self/fd"))

        KeptFiles(tmp_path).clean_up()

        assert set(os.listdir("/proc/self/fd")) <= open_files
        assert len(list((tmp_path / "mcp").glob("*.pid"))) == 1
        # It still reads, and ends by itself.
        server.communicate(b"\n", PATIENCE)
        assert server.returncode == 0


def test_what_an_ended_server_has_left_in_its_group_is_ended_by_the_next_start(tmp_path: Path) -> None:
    own = own_identity()
    script = "sleep 120 & read line"
    with subprocess.Popen(
        ["sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as server:
        ended = identity_of(server.pid)
        assert ended is not None
        assert server.stdin is not None
        server.stdin.write(b"\n")
        server.stdin.flush()
        server.wait(PATIENCE)
        _note(tmp_path, replace(own, start_time=own.start_time - 1), ended)

        KeptFiles(tmp_path).clean_up()

        # What it has left has its output open as long as it lives.
        server.communicate(timeout=PATIENCE)


def test_of_toolsets_those_that_no_turn_has_used_for_a_month_are_forgotten(tmp_path: Path) -> None:
    files, turn = KeptFiles(tmp_path), new_turn(tmp_path)
    day = 86_400
    ages = {"sess_old": 30 * day + 60, "sess_new": 30 * day - 60, "sess_other": 0}
    for number, (session, age) in enumerate(ages.items()):
        files.keep_toolset(replace(turn, session_id=session), {"note": str(number), "tools": []})
        then = time.time() - age
        for path in (tmp_path / "mcp").rglob("*.json"):
            if path.stat().st_mtime > time.time() - 10:
                os.utime(path, (then, then))

    files.clean_up()

    kept = [files.toolset(replace(turn, session_id=session)) for session in ages]
    assert kept == [None, {"note": "1", "tools": []}, {"note": "2", "tools": []}]
    assert len(list((tmp_path / "mcp" / "toolsets").iterdir())) == 2
    assert files.toolset(replace(turn, session_id="sess_other", id="turn_2")) is None


def test_a_toolset_that_a_turn_uses_again_is_kept_for_another_month(tmp_path: Path) -> None:
    files, turn, content = KeptFiles(tmp_path), new_turn(tmp_path), {"note": "", "tools": []}
    files.keep_toolset(turn, content)
    (path,) = (tmp_path / "mcp" / "toolsets").iterdir()
    os.utime(path, (0, 0))

    files.keep_toolset(replace(turn, id="turn_2"), content)
    files.clean_up()

    assert files.toolset(replace(turn, id="turn_2")) == content


@pytest.mark.parametrize("other", [{"cwd": "/"}, {"url": "http://x"}, {"tools": frozenset(["a"])}, {"args": ("b",)}])
def test_a_listing_is_that_of_one_server(tmp_path: Path, other: dict[str, Any]) -> None:
    files, listing = KeptFiles(tmp_path), ToolListing((), 3)
    files.keep_listing(raw(), listing)

    assert files.listing(replace(raw(), trust=True)) == listing
    assert files.listing(replace(raw(), **other)) is None
    assert (tmp_path / "mcp").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"mark": "another"}', b"7"])
def test_a_listing_that_cannot_be_read_is_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "mcp").mkdir()
    (tmp_path / "mcp" / "raw.json").write_bytes(content)
    (tmp_path / "mcp" / "raw-1.pid").write_bytes(content)

    assert KeptFiles(tmp_path).listing(raw()) is None
    KeptFiles(tmp_path).clean_up()
    assert not (tmp_path / "mcp" / "raw-1.pid").exists()


async def test_a_person_is_shown_the_beginning_of_long_arguments(tmp_path: Path) -> None:
    listed = ListedTool("write", "", {"type": "object", "properties": {}})
    tool = McpTool("mcp__raw__write", listed, server.McpServer(raw(), KeptFiles(tmp_path), _no_package))
    context = ToolContext(new_turn(tmp_path), 1, 1, "call_1")

    whole, cut = [await tool.intent({"a": "x" * count}, context) for count in (2_000 - 14, 2_000 - 13)]

    assert isinstance(whole, Intent)
    assert isinstance(cut, Intent)
    assert whole.command == 'write {"a":"' + "x" * 1_986 + '"}'
    assert cut.command == 'write {"a":"' + "x" * 1_987 + '"…'
    assert [reason.reason for reason in cut.reasons] == ["uses write of the MCP server raw"]


def _no_package() -> Connect:
    raise ServerEnded("its package is missing")


def _note(home: Path, owner: Identity, process: Identity) -> None:
    (home / "mcp").mkdir()
    content = {"owner": {"pid": owner.pid, "start_time": owner.start_time}}
    content["process"] = {"pid": process.pid, "start_time": process.start_time}
    (home / "mcp" / "raw-1.pid").write_bytes(orjson.dumps(content))
