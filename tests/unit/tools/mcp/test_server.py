"""The life of one MCP server: its starts and rests, its sessions, and the tools that it lists."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.mcp.kit import eventually
from tests.patience import PATIENCE
from tests.unit.tools.kit import new_turn
from wakeful.model.tools.mcp import McpState
from wakeful.tools.base import Toolset
from wakeful.tools.mcp import server as server_module
from wakeful.tools.mcp.failures import ServerEnded, SessionGone
from wakeful.tools.mcp.kept_files import KeptFiles
from wakeful.tools.mcp.server import Connect, McpServer
from wakeful.tools.mcp.servers import McpServers
from wakeful.tools.mcp.settings import McpServerSettings

STDIO = McpServerSettings("made", command="made")
HTTP = McpServerSettings("made", url="http://made.example/mcp")


def entry(name: str) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}}


class Made:
    """A server in this process. `sessions` are its connections, the newest last."""

    def __init__(self) -> None:
        self.sessions: list[Session] = []
        self.tools: list[Any] = [entry("one")]
        self.listed = 0
        self.starts_with: Callable[[], Awaitable[None]] | None = None
        self.calls: Callable[[Session], Awaitable[Mapping[str, Any]]] | None = None

    def load(self) -> Connect:
        return self.connect

    @asynccontextmanager
    async def connect(self, settings: McpServerSettings, changed: Callable[[], None]) -> AsyncIterator["Session"]:
        if self.starts_with is not None:
            await self.starts_with()
        self.sessions.append(Session(self, changed))
        yield self.sessions[-1]


class Session:
    def __init__(self, made: Made, changed: Callable[[], None]) -> None:
        self._made = made
        self._end: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.say_changed = changed

    def end(self, error: Exception) -> None:
        self._end.set_exception(error)

    async def ended(self) -> None:
        await self._end

    async def list_tools(self) -> list[Any]:
        self._made.listed += 1
        return list(self._made.tools)

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"called": tool, **arguments} if self._made.calls is None else await self._made.calls(self)


@pytest.fixture
def made() -> Made:
    return Made()


@pytest.fixture
def rests(monkeypatch: pytest.MonkeyPatch) -> "list[float]":
    """How long the server has rested before each start. Time stands still, and nobody waits."""
    noted: list[float] = []
    sleep = asyncio.sleep

    async def note(seconds: float) -> None:
        task = asyncio.current_task()
        if task is not None and task.get_name() == "mcp made":
            noted.append(max(0.0, seconds))
            seconds = 0
        await sleep(seconds)

    monkeypatch.setattr(asyncio, "sleep", note)
    monkeypatch.setattr(server_module, "_now", lambda: 1_000.0)
    return noted


@asynccontextmanager
async def living(made: Made, home: Path, settings: McpServerSettings = STDIO) -> AsyncIterator[McpServer]:
    server = McpServer(settings, KeptFiles(home), made.load)
    try:
        yield server
    finally:
        await server.stop()


async def test_a_start_that_succeeds_makes_it_ready_and_its_tools_known_also_to_the_next(
    made: Made, tmp_path: Path
) -> None:
    async with living(made, tmp_path) as server:
        assert (server.state, server.listing, server.is_worth_waiting_for) == (McpState.IDLE, None, True)
        server.start()
        server.start()
        await server.settled()
        assert (server.state, server.failure, server.restarts) == (McpState.READY, None, 0)
        assert server.listing is not None
        assert ([tool.tool for tool in server.listing.tools], server.is_worth_waiting_for) == (["one"], False)
        assert await server.call("one", {"a": 1}) == {"called": "one", "a": 1}
    assert (server.state, len(made.sessions)) == (McpState.IDLE, 1)
    async with living(made, tmp_path) as next_one:
        assert (next_one.listing, next_one.is_worth_waiting_for) == (server.listing, False)


async def test_each_failure_in_a_row_doubles_the_rest_up_to_a_minute(
    made: Made, tmp_path: Path, rests: list[float]
) -> None:
    async def fail() -> None:
        raise ServerEnded("it cannot be started", "no licence")

    made.starts_with = fail
    async with living(made, tmp_path) as server:
        for _ in range(9):
            server.start()
            await server.settled()
        failure = server.failure
        assert failure is not None
        assert (server.state, server.restarts, failure.whole) == (
            McpState.FAILED,
            8,
            "it cannot be started: no licence",
        )
        assert not server.is_worth_waiting_for
        # Whoever asks for a start gets one at once.
        await server.restart()
        await server.settled()
        server.start()
        await server.settled()

    assert rests == [0, 1, 2, 4, 8, 16, 32, 60, 60, 0, 1]


@pytest.mark.parametrize(("seconds", "rest"), [(9.5, 2.0), (10.0, 1.0)])
async def test_the_end_of_a_server_that_has_worked_for_long_counts_as_its_first_failure(
    made: Made, tmp_path: Path, rests: list[float], monkeypatch: pytest.MonkeyPatch, seconds: float, rest: float
) -> None:
    async with living(made, tmp_path) as server:
        for worked in (0.0, seconds, 0.0):
            monkeypatch.setattr(server_module, "_now", lambda: 1_000.0)
            server.start()
            await server.settled()
            monkeypatch.setattr(server_module, "_now", lambda worked=worked: 1_000.0 + worked)
            made.sessions[-1].end(ServerEnded("it ended"))
            await eventually(lambda: server.state is McpState.FAILED)

    assert rests[1:] == [1.0, rest + seconds]


async def test_a_connection_over_http_that_was_lost_is_made_again_at_once(
    made: Made, tmp_path: Path, rests: list[float]
) -> None:
    async def fail() -> None:
        raise ServerEnded("it cannot be reached")

    async with living(made, tmp_path, HTTP) as server:
        server.start()
        await server.settled()
        made.sessions[-1].end(ServerEnded("the connection to it broke"))
        await eventually(lambda: server.state is McpState.FAILED)
        made.starts_with = fail
        for _ in range(2):
            server.start()
            await server.settled()

    assert rests == [0, 0, 2]


async def test_a_call_is_made_again_in_a_new_session_but_not_for_ever(made: Made, tmp_path: Path) -> None:
    async def forgotten_once(session: Session) -> Mapping[str, Any]:
        if session is made.sessions[0]:
            raise SessionGone
        return {"answer": len(made.sessions)}

    async def forgotten(session: Session) -> Mapping[str, Any]:
        raise SessionGone

    async with living(made, tmp_path, HTTP) as server:
        made.calls = forgotten_once
        assert await server.call("one", {}) == {"answer": 2}
        made.calls = forgotten
        with pytest.raises(ServerEnded, match="it forgets its sessions"):
            await server.call("one", {})
        assert len(made.sessions) == 3


async def test_a_session_that_ends_because_the_server_forgot_it_is_no_failure(made: Made, tmp_path: Path) -> None:
    async with living(made, tmp_path, HTTP) as server:
        server.start()
        await server.settled()
        made.sessions[-1].end(ExceptionGroup("", [ExceptionGroup("", [SessionGone()])]))
        await eventually(lambda: server.state is McpState.IDLE)
        assert server.failure is None


async def test_a_call_that_takes_too_long_ends_and_its_server_stays(made: Made, tmp_path: Path) -> None:
    async def hang(session: Session) -> Mapping[str, Any]:
        await asyncio.Event().wait()
        return {}

    made.calls = hang
    settings = McpServerSettings("made", command="made", call_seconds=0.01)
    async with living(made, tmp_path, settings) as server:
        with pytest.raises(TimeoutError):
            await server.call("one", {})
        assert (server.state, len(made.sessions)) == (McpState.READY, 1)


async def test_a_server_that_does_not_get_ready_in_time_has_failed(made: Made, tmp_path: Path) -> None:
    async def hang() -> None:
        await asyncio.Event().wait()

    made.starts_with = hang
    settings = McpServerSettings("made", command="made", start_seconds=0.01)
    async with living(made, tmp_path, settings) as server:
        server.start()
        await server.settled()
        assert (server.state, str(server.failure)) == (McpState.FAILED, "it was not ready within 0.01 s")


async def test_a_call_does_not_wait_for_a_server_that_rests_for_long(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail() -> None:
        raise ServerEnded("it cannot be started")

    monkeypatch.setattr(server_module, "_REST_SECONDS", 60.0)
    made.starts_with = fail
    async with living(made, tmp_path) as server:
        server.start()
        await server.settled()
        with pytest.raises(ServerEnded, match="it cannot be started"):
            await server.call("one", {})


async def test_whatever_else_breaks_a_connection_is_told_to_the_operator(
    made: Made, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with living(made, tmp_path) as server:
        server.start()
        await server.settled()
        made.sessions[-1].end(ValueError("odd bytes"))
        await eventually(lambda: server.state is McpState.FAILED)
        assert server.failure is not None
        assert (str(server.failure), server.failure.said) == ("its connection broke", "ValueError: odd bytes")
    assert "the MCP server made broke its connection" in caplog.text


async def test_tools_that_change_are_listed_again_but_not_without_a_pause(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "_LISTING_SECONDS", 0.02)
    async with living(made, tmp_path) as server:
        server.start()
        await server.settled()
        made.tools = [entry("one"), entry("two")]
        for _ in range(3):
            made.sessions[-1].say_changed()
        await eventually(lambda: server.listing is not None and len(server.listing.tools) == 2)
        assert made.listed == 2
        made.tools = []
        made.sessions[-1].say_changed()
        await eventually(lambda: server.listing is not None and not server.listing.tools)
    assert McpServer(STDIO, KeptFiles(tmp_path), made.load).listing == server.listing


async def test_changed_tools_are_listed_at_once_and_the_pause_comes_after(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "_LISTING_SECONDS", 10 * PATIENCE)
    async with living(made, tmp_path) as server:
        server.start()
        await server.settled()
        made.tools = []
        made.sessions[-1].say_changed()

        await eventually(lambda: server.listing is not None and not server.listing.tools)


async def test_a_server_that_does_not_list_its_changed_tools_keeps_the_old_ones(
    made: Made, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hang(session: Session) -> list[Any]:
        await asyncio.Event().wait()
        return []

    caplog.set_level(logging.WARNING)
    async with living(made, tmp_path, McpServerSettings("made", command="made", call_seconds=0.01)) as server:
        server.start()
        await server.settled()
        monkeypatch.setattr(Session, "list_tools", hang)
        made.sessions[-1].say_changed()
        await eventually(lambda: "does not list its tools again" in caplog.text)
        assert server.listing is not None
        assert (server.state, [tool.tool for tool in server.listing.tools]) == (McpState.READY, ["one"])


async def test_a_server_that_is_disabled_never_starts(made: Made, tmp_path: Path) -> None:
    async with living(made, tmp_path, McpServerSettings("made", command="made", enabled=False)) as server:
        server.start()
        assert (server.state, server.is_worth_waiting_for, made.sessions) == (McpState.DISABLED, False, [])


@asynccontextmanager
async def all_of(made: Made, home: Path, *settings: McpServerSettings) -> AsyncIterator[McpServers]:
    servers = McpServers(settings, KeptFiles(home), made.load, wait_seconds=PATIENCE)
    await servers.open()
    try:
        yield servers
    finally:
        await servers.close()


async def test_names_of_tools_are_asked_of_the_servers_only_if_a_choice_may_mean_one(
    made: Made, tmp_path: Path
) -> None:
    async with all_of(made, tmp_path, STDIO) as servers:
        assert (await servers.tool_names(["read_file"]), made.sessions) == (frozenset(), [])
        assert await servers.tool_names({"name": "mcp__made__one"}) == {"mcp__made__one"}


async def test_a_turn_that_is_not_stored_leaves_nothing_behind(made: Made, tmp_path: Path) -> None:
    turn = new_turn(tmp_path)
    async with all_of(made, tmp_path, STDIO) as servers:
        await servers.toolset(replace(turn, is_ephemeral=True))
        assert list((tmp_path / "mcp").glob("turns/*")) == []
        await servers.toolset(turn)
        assert [path.stem for path in (tmp_path / "mcp").glob("turns/*")] == [turn.session_id]


async def test_tools_of_a_server_that_the_settings_no_longer_name_or_enable_are_not_offered(
    made: Made, tmp_path: Path
) -> None:
    turn, other = new_turn(tmp_path), replace(STDIO, name="other")
    async with all_of(made, tmp_path, STDIO, other) as servers:
        before = await servers.toolset(turn)
    async with all_of(made, tmp_path, other) as servers:
        resumed = await servers.toolset(replace(turn, epoch=2))
    async with all_of(made, tmp_path, replace(STDIO, enabled=False), other) as servers:
        fresh = await servers.toolset(replace(turn, id="turn_2"))
        statuses = servers.statuses()
    async with all_of(made, tmp_path) as servers:
        assert await servers.toolset(turn) == Toolset()

    offered = [[tool.spec.name for tool in toolset.tools] for toolset in (before, resumed, fresh)]
    assert offered == [["mcp__made__one", "mcp__other__one"], ["mcp__other__one"], ["mcp__other__one"]]
    assert (fresh.note, [status.tools == () for status in statuses]) == ("", [True, False])


async def test_a_status_says_how_many_tools_are_left_out_and_why_a_server_failed(made: Made, tmp_path: Path) -> None:
    made.tools = [entry("one"), entry(""), entry("")]
    async with all_of(made, tmp_path, STDIO) as servers:
        toolset = await servers.toolset(new_turn(tmp_path))
        (status,) = servers.statuses()
        made.sessions[-1].end(ServerEnded("it ended", "no licence"))
        await eventually(lambda: servers.statuses()[0].state is McpState.FAILED)
        (failed,) = servers.statuses()

    left_out = "2 of its tools are too many, or cannot be offered to models: name those you want in its setting tools"
    assert (status.error, failed.error) == (left_out, "it ended: no licence")
    assert toolset.note == f"Of these MCP servers, tools are missing in this turn: made ({left_out})."
    assert [(facts.name, facts.tool, facts.read_only) for facts in status.tools] == [("mcp__made__one", "one", False)]
    assert not await servers.restart("nobody")
