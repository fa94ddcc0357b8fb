"""How commands reach an engine: the running one, or one that they start."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from wakeful.cli import connection
from wakeful.cli.client import Client
from wakeful.cli.connection import connected
from wakeful.cli.server.listener import is_answered, local_socket
from wakeful.config.config import Config
from wakeful.config.load import load_config
from wakeful.errors import StoreLocked


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return config_of(tmp_path / "home")


def config_of(home: Path) -> Config:
    config = load_config({"WAKEFUL_HOME": str(home), "WAKEFUL_STOP_GRACE_SECONDS": "0"})
    return replace(config, providers=replace(config.providers, demo_seconds_per_word=0.0))


async def talk(client: Client) -> str:
    """Run one turn of the demo model, and return its session."""
    session_id: str = (await client.post("/api/session/new", {}))["session_id"]
    started = await client.post("/api/chat/start", {"session_id": session_id, "message": "hello"})
    events = [event async for event in client.events("/api/chat/stream", stream_id=started["stream_id"])]
    assert (events[0].name, events[-1].name) == ("turn_started", "done")
    return session_id


async def test_without_a_server_an_engine_is_started_and_ended(config: Config) -> None:
    async with connected(config, adopts=True, door="terminal") as client:
        await talk(client)
        assert is_answered(local_socket(config.home))

    assert not local_socket(config.home).exists()


async def test_a_second_command_works_through_the_first_ones_engine(config: Config) -> None:
    async with connected(config, adopts=True, door="terminal") as first:
        session_id = await talk(first)
        async with connected(config, adopts=True, door="terminal") as second:
            listed = await second.get("/api/sessions")
            assert [row["session_id"] for row in listed["sessions"]] == [session_id]
        assert (await first.get("/api/sessions")) == listed


async def test_an_engine_for_one_question_is_not_found_by_others(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "_PATIENCE_SECONDS", 0.2)
    async with connected(config, adopts=False, door="ask") as client:
        await talk(client)
        assert not is_answered(local_socket(config.home))
        with pytest.raises(StoreLocked):
            async with connected(config, adopts=True, door="terminal"):
                pass


async def test_a_command_that_finds_the_database_held_waits_a_moment(config: Config) -> None:
    leaving = asyncio.Event()

    async def hold() -> None:
        async with connected(config, adopts=False, door="ask"):
            holding.set()
            await leaving.wait()

    holding = asyncio.Event()
    holder = asyncio.create_task(hold())
    await asyncio.wait_for(holding.wait(), 10)
    asyncio.get_running_loop().call_later(0.3, leaving.set)
    async with connected(config, adopts=True, door="terminal") as client:
        assert leaving.is_set()
        await talk(client)
    await holder


async def test_a_home_with_too_long_a_name_works_too(tmp_path: Path) -> None:
    config = config_of(tmp_path / ("x" * 100))

    async with connected(config, adopts=True, door="terminal") as client:
        await talk(client)
