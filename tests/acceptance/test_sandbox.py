"""A server whose commands run in bubblewrap: what they do not find, and what a crash of the server does not change."""

import shutil
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import orjson
import pytest

from tests.acceptance.command import Command, Server, until
from tests.endpoint import Endpoint, Script
from wakeful.cli.client import Client
from wakeful.gateway.entrance.local_key import local_key
from wakeful.tools.processes.sandbox import SandboxSetting, choose_sandbox

# Does not name what it looks for, so that the gate cannot see it.
_PEEK = """
import os, socket, sys

home = os.path.join(*sys.argv[1].split("+"))
for name in ("key", "wakeful.db", "config.toml"):
    print(name, os.path.exists(os.path.join(home, name)))
try:
    socket.socket(socket.AF_UNIX).connect(os.path.join(home, "wakeful.sock"))
except OSError as error:
    print(type(error).__name__)
print(len([pid for pid in os.listdir("/proc") if pid.isdecimal()]) < 10)
"""


@pytest.fixture
def sandboxed(wakeful: Command) -> Command:
    wakeful.home.mkdir(mode=0o700)
    choice = choose_sandbox(SandboxSetting.BWRAP, wakeful.home)
    if choice.sandbox is None:
        pytest.skip(choice.why)
    return wakeful.having(WAKEFUL_SANDBOX="bwrap", WAKEFUL_MODEL="openai:scripted", OPENAI_API_KEY="sk-scripted")


@asynccontextmanager
async def talking(wakeful: Command, endpoint: Endpoint) -> AsyncIterator[tuple[Server, Client]]:
    client = Client(wakeful.home / "wakeful.sock", local_key(wakeful.home), "terminal")
    async with wakeful.having(OPENAI_BASE_URL=endpoint.url).serving() as server, client:
        yield server, client


async def say(client: Client, wakeful: Command) -> str:
    session = await client.post("/api/session/new", {"workspace": str(wakeful.folder)})
    await client.post("/api/chat/start", {"session_id": session["session_id"], "message": "Go on."})
    return str(session["session_id"])


def running(command: str, **more: Any) -> dict[str, Any]:
    return {"name": "terminal", "arguments": {"command": command, **more}}


async def test_key_socket_database_and_server_are_not_there(sandboxed: Command) -> None:
    (sandboxed.folder / "peek.py").write_text(_PEEK)
    hidden = str(sandboxed.home).replace("/", "+/", 2)
    scripts = [Script(calls=[running(f"python3 peek.py '{hidden}'")]), Script(text="I see.")]
    async with Endpoint(scripts) as endpoint, talking(sandboxed, endpoint) as (_, client):
        assert (await client.get("/api/me"))["sandbox"] == "bwrap"
        await say(client, sandboxed)
        await endpoint.wait_for(requests=2)

    result = orjson.loads(endpoint.bodies[-1]["messages"][-1]["content"])
    assert result["output"].splitlines() == [
        "key False",
        "wakeful.db False",
        "config.toml False",
        "FileNotFoundError",
        "True",
    ]


async def test_an_end_that_a_killed_server_did_not_see_wakes_once(sandboxed: Command) -> None:
    go = sandboxed.folder / "go"
    wait = running("while ! test -e go; do sleep 0.02; done; exit 3", background=True, notify_on_complete=True)
    scripts = [Script(calls=[wait]), Script(text="Started."), Script(text="It has ended.")]
    async with Endpoint(scripts) as endpoint:
        async with talking(sandboxed, endpoint) as (server, client):
            session_id = await say(client, sandboxed)
            await endpoint.wait_for(requests=2)
            await until(is_idle_in(client, session_id))
            await server.end(signal.SIGKILL)
        go.touch()
        async with talking(sandboxed, endpoint) as (_, client):
            await endpoint.wait_for(requests=3)
            await until(is_idle_in(client, session_id))
            shown = await client.get("/api/session", session_id=session_id)

    assert [task["exit_code"] for task in shown["tasks"]] == [3]
    assert len(endpoint.bodies) == 3
    assert "exit code 3" in endpoint.bodies[-1]["messages"][-1]["content"]


def is_idle_in(client: Client, session_id: str) -> Callable[[], Awaitable[bool]]:
    async def is_idle() -> bool:
        return (await client.get("/api/session", session_id=session_id))["active"] is None

    return is_idle


async def test_a_server_that_must_have_a_sandbox_does_not_start_without_it(wakeful: Command) -> None:
    tools = wakeful.folder / "bin"
    tools.mkdir()
    for name in ("sh", "env"):
        (tools / name).symlink_to(shutil.which(name) or "")

    ended = await wakeful.having(WAKEFUL_SANDBOX="bwrap", PATH=str(tools)).run("serve", "--port", "0")

    assert ended.code != 0
    assert ended.err == "wakeful: WAKEFUL_SANDBOX is bwrap, but bubblewrap is not installed.\n"
