"""MCP tools in turns of a real server: offered, called, and cut off by a kill."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.api.conftest import scripted
from tests.api.server import ROOT, ApiServer, ModelEndpoint, running_server, script, until

_RAW = ROOT / "tests" / "mcp" / "raw_server.py"


@pytest.fixture(scope="module")
def mcp_server(tmp_path_factory: pytest.TempPathFactory, endpoint: ModelEndpoint) -> Iterator[ApiServer]:
    """A server with one MCP server that works, one that is disabled and one that cannot be started."""
    home = tmp_path_factory.mktemp("home")
    tables = [
        f"[mcp.raw]\ncommand = '{sys.executable}'\nargs = ['-S', '-E', '{_RAW}', 'plain']\ntrust = true",
        "[mcp.gone]\ncommand = 'no-such-program'",
        "[mcp.off]\nurl = 'http://127.0.0.1:1/mcp'\nenabled = false",
    ]
    (home / "config.toml").write_text("mcp_wait_seconds = 60\n" + "\n".join(tables))
    with running_server(home, **scripted(endpoint)) as server:
        yield server


def call(name: str, call_id: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "id": call_id, "arguments": arguments}


def requests_of(endpoint: ModelEndpoint, mark: str) -> list[dict[str, Any]]:
    return [request for request in endpoint.requests() if mark in orjson.dumps(request).decode()]


def names_in(request: dict[str, Any]) -> set[str]:
    return {tool["function"]["name"] for tool in request["tools"]}


def servers_of(server: ApiServer) -> dict[str, Any]:
    answer = server.send("GET", "/api/mcp", key=operator_key(server))
    return {one["name"]: one for one in answer.raise_for_status().json()["servers"]}


def operator_key(server: ApiServer) -> str:
    return (server.home / "key").read_text().strip()


def test_a_turn_is_offered_the_tools_and_told_which_servers_are_missing(
    mcp_server: ApiServer, endpoint: ModelEndpoint
) -> None:
    with mcp_server.client() as client:
        made = client.responses.create(input=script(calls=[call("mcp__raw__echo", "c1", mark="first turn")]))

    item: Any = made.output[0]
    assert (item.name, item.output, item.error) == ("mcp__raw__echo", '{"mark": "first turn"}', None)
    request = requests_of(endpoint, "first turn")[0]
    assert {"mcp__raw__echo", "mcp__raw__write", "read_file"} <= names_in(request)
    note = "Of these MCP servers, tools are missing in this turn: gone (no-such-program: command not found)."
    assert note in request["messages"][0]["content"].splitlines()


def test_the_state_of_each_server_is_for_the_operator(mcp_server: ApiServer) -> None:
    with mcp_server.client() as client:
        client.responses.create(input="hello")
    shown = servers_of(mcp_server)

    assert {name: (one["transport"], one["state"]) for name, one in shown.items()} == {
        "raw": ("stdio", "ready"),
        "gone": ("stdio", "failed"),
        "off": ("http", "disabled"),
    }
    assert shown["raw"]["tools"][0] == {"name": "mcp__raw__echo", "tool": "echo", "read_only": True}
    assert shown["gone"]["error"] == "no-such-program: command not found"
    assert mcp_server.send("GET", "/api/mcp").status_code == 403


def test_a_server_is_started_again_on_request(mcp_server: ApiServer) -> None:
    before = servers_of(mcp_server)["raw"]["restarts"]
    key = operator_key(mcp_server)

    assert mcp_server.send("POST", "/api/mcp/restart", key=key, json={"name": "raw"}).json() == {"ok": True}
    until(lambda: servers_of(mcp_server)["raw"]["state"] == "ready")

    assert servers_of(mcp_server)["raw"]["restarts"] == before + 1
    assert mcp_server.send("POST", "/api/mcp/restart", key=key, json={"name": "nobody"}).status_code == 404
    assert mcp_server.send("POST", "/api/mcp/restart", json={"name": "raw"}).status_code == 403


def test_a_function_of_the_client_is_never_replaced(mcp_server: ApiServer, endpoint: ModelEndpoint) -> None:
    own: Any = {"type": "function", "name": "mcp__raw__echo", "parameters": {"type": "object"}, "strict": False}
    with mcp_server.client() as client:
        words = script(calls=[call("mcp__raw__echo", "c1", mark="client's own")])
        made = client.responses.create(input=words, tools=[own])

    assert [item.type for item in made.output] == ["function_call"]
    (request,) = requests_of(endpoint, "client's own")
    assert [tool["function"]["name"] for tool in request["tools"]].count("mcp__raw__echo") == 1


def test_a_choice_of_the_client_may_name_an_mcp_tool_before_any_turn(
    mcp_server: ApiServer, endpoint: ModelEndpoint
) -> None:
    only: Any = {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "mcp__raw__echo"}]}
    # A start without what the servers have listed before.
    mcp_server.kill()
    (mcp_server.home / "mcp" / "raw.json").unlink(missing_ok=True)
    mcp_server.start()
    with mcp_server.client() as client:
        client.responses.create(input="only one tool, please", tool_choice=only)

    (request,) = requests_of(endpoint, "only one tool, please")
    assert names_in(request) == {"mcp__raw__echo"}


def test_a_sub_agent_has_the_tools_too(mcp_server: ApiServer, endpoint: ModelEndpoint) -> None:
    with mcp_server.client() as client:
        client.responses.create(input=script(calls=[call("delegate_task", "c1", goal="a goal for a sub-agent")]))

    working = [one for one in requests_of(endpoint, "a goal for a sub-agent") if one["messages"][-1]["role"] == "user"]
    assert "mcp__raw__echo" in names_in(working[-1])


def test_calls_that_a_kill_cut_off_run_again_only_if_that_is_harmless(
    mcp_server: ApiServer, endpoint: ModelEndpoint, tmp_path: Path
) -> None:
    reading, writing = tmp_path / "reading", tmp_path / "writing"
    calls = [
        call("mcp__raw__echo", "c1", hang_once=str(reading)),
        call("mcp__raw__write", "c2", hang_once=str(writing)),
    ]
    with mcp_server.client() as client:
        made = client.responses.create(input=script(calls=calls), background=True)
        until(lambda: reading.exists() and writing.exists())
        mcp_server.kill()
        until(lambda: not Path(f"/proc/{writing.read_text()}/cmdline").exists())
        mcp_server.start()
        until(lambda: client.responses.retrieve(made.id).status == "completed")
        done = client.responses.retrieve(made.id)

    again, cut = (item for item in done.output if item.type == "mcp_call")
    assert orjson.loads(again.output or "") == {"hang_once": str(reading)}
    assert "interrupted: " in str(cut.error)
    before, after = requests_of(endpoint, str(writing))
    assert after["tools"] == before["tools"]
    assert after["messages"][: len(before["messages"])] == before["messages"]
