"""How a command reaches its server: the one that runs, or else an engine of its own."""

import os
from pathlib import Path

import pytest

from tests.unit.building.kit import config_in
from wakeful.cli import connection
from wakeful.cli.chat.successor import Successor
from wakeful.cli.connection import connected
from wakeful.cli.server.listener import is_answered, local_socket
from wakeful.errors import StoreLocked
from wakeful.tools.mcp.servers import McpServers


async def test_a_command_that_adopts_work_is_the_server_of_others_until_it_ends(tmp_path: Path) -> None:
    config = config_in(tmp_path)
    async with connected(config, adopts=True, door="terminal") as client:
        assert (await client.get("/api/me"))["name"] == "operator"
        assert is_answered(local_socket(tmp_path))
        async with connected(config, adopts=False, door="terminal") as other:
            made = await other.post("/api/session/new", {})
        sessions = (await client.get("/api/sessions"))["sessions"]

    assert [session["session_id"] for session in sessions] == [made["session_id"]]
    assert sessions[0]["platform"] == "terminal"
    assert not is_answered(local_socket(tmp_path))


async def test_a_command_that_adopts_nothing_is_not_found_by_others(tmp_path: Path) -> None:
    config = config_in(tmp_path)
    async with connected(config, adopts=False, door="terminal") as client:
        assert (await client.get("/api/me"))["name"] == "operator"
        assert not is_answered(local_socket(tmp_path))


async def test_a_database_that_somebody_else_holds_is_waited_for_only_so_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "_LOOK_SECONDS", 0.001)
    monkeypatch.setattr(connection, "_PATIENCE_SECONDS", 0.02)
    config = config_in(tmp_path)
    async with connected(config, adopts=False, door="terminal"):
        with pytest.raises(StoreLocked):
            async with connected(config, adopts=False, door="terminal"):
                raise AssertionError("two engines have one database")


async def test_a_successor_serves_once_until_its_chat_ends(tmp_path: Path) -> None:
    config = config_in(tmp_path)
    async with Successor(config, "terminal") as successor, Successor(config, "terminal") as late:
        assert not successor.is_at_work
        assert await successor.start()
        assert (successor.is_at_work, is_answered(local_socket(tmp_path))) == (True, True)
        assert not await successor.start()
        assert (await late.start(), late.is_at_work) == (False, False)

    assert (successor.is_at_work, is_answered(local_socket(tmp_path))) == (False, False)


async def test_a_successor_cannot_serve_while_the_database_is_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "_LOOK_SECONDS", 0.001)
    monkeypatch.setattr(connection, "_PATIENCE_SECONDS", 0.0)
    config = config_in(tmp_path)
    async with connected(config, adopts=False, door="terminal"), Successor(config, "terminal") as successor:
        with pytest.raises(StoreLocked):
            await successor.start()
        assert not successor.is_at_work


@pytest.mark.parametrize("adopts", [True, False])
async def test_an_engine_of_its_own_prepares_its_tools_and_hands_no_secret_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, adopts: bool
) -> None:
    prepared: list[McpServers] = []
    monkeypatch.setattr(McpServers, "prepare", lambda servers: prepared.append(servers))
    monkeypatch.setenv("WAKEFUL_API_KEYS", "ann=the-key-of-ann-0")
    config = config_in(tmp_path, API_KEYS="ann=the-key-of-ann-0")

    async with connected(config, adopts=adopts, door="terminal"):
        assert len(prepared) == 1
        assert "WAKEFUL_API_KEYS" not in os.environ
