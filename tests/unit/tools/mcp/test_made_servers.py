"""Servers made with the official package, over both transports."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
from mcp.client.session import ClientSession
from mcp.shared.exceptions import MCPError
from mcp_types import METHOD_NOT_FOUND

from tests.mcp.kit import ServedApp, call, eventually, made_stdio, only, running, served, tools_of
from tests.unit.tools.kit import Person, new_turn
from wakeful.model.approvals.approval import Choice
from wakeful.model.tools.mcp import McpState
from wakeful.tools.mcp.sdk.message_lines import LARGEST_MESSAGE
from wakeful.tools.mcp.settings import McpServerSettings


@pytest.fixture(scope="module")
def notes() -> list[str]:
    """What the tool `wait` has noted."""
    return []


@pytest.fixture(scope="module")
def app(notes: list[str]) -> Iterator[ServedApp]:
    with served(notes.append) as app:
        yield app


@pytest.fixture(params=["stdio", "stream", "json"])
def settings(request: pytest.FixtureRequest, app: ServedApp) -> Iterator[McpServerSettings]:
    """A process, a server that answers with streams, and one that answers with JSON."""
    if request.param == "stdio":
        yield made_stdio(trust=True)
    elif request.param == "stream":
        yield McpServerSettings("made", url=app.url, trust=True)
    else:
        with served(json_response=True) as plain:
            yield McpServerSettings("made", url=plain.url, trust=True)


async def test_its_tools_are_offered_and_their_results_read(tmp_path: Path, settings: McpServerSettings) -> None:
    async with running(tmp_path, settings) as servers:
        tools = await tools_of(servers, tmp_path)
        greeting = await call(servers, tmp_path, "mcp__made__greet", name="Ada")
        measured = await call(servers, tmp_path, "mcp__made__measure")
        drawn = await call(servers, tmp_path, "mcp__made__draw")
        failed = await call(servers, tmp_path, "mcp__made__fail")
        wrong = await call(servers, tmp_path, "mcp__made__greet", nobody=1)
        status = only(servers)

    assert tools["mcp__made__greet"].spec.description == "Greet somebody."
    assert tools["mcp__made__greet"].spec.parameters["required"] == ["name"]
    assert greeting.text == "Hello Ada"
    assert orjson.loads(measured.text) == {"width": 3}
    assert drawn.text == "[Image: picture-1.png, 1×1, 70 bytes]"  # noqa: RUF001
    assert [(picture.type, len(picture.data)) for picture in drawn.pictures] == [("image/png", 70)]
    assert orjson.loads(failed.text)["code"] == "tool_error"
    assert "the printer is on fire" in failed.text
    assert orjson.loads(wrong.text)["code"] == "tool_error"
    assert (status.state, status.error, status.restarts) == (McpState.READY, "", 0)
    assert [facts.read_only for facts in status.tools] == [True, *[False] * 6]


async def test_new_tools_join_at_the_next_turn(tmp_path: Path, app: ServedApp) -> None:
    async with running(tmp_path, McpServerSettings("made", url=app.url)) as servers:
        before = await tools_of(servers, tmp_path)
        await call(servers, tmp_path, "mcp__made__grow")
        await eventually(lambda: any(facts.tool == "grown" for facts in only(servers).tools))
        after = await tools_of(servers, tmp_path)

    assert after.keys() - before.keys() == {"mcp__made__grown"}


async def test_a_call_over_http_that_is_stopped_is_cancelled_at_the_server(
    tmp_path: Path, app: ServedApp, notes: list[str]
) -> None:
    async with running(tmp_path, McpServerSettings("made", url=app.url, trust=True)) as servers:
        calling = asyncio.create_task(call(servers, tmp_path, "mcp__made__wait"))
        await eventually(lambda: "begun" in notes)
        calling.cancel()
        await eventually(lambda: "cancelled" in notes)
        after = await call(servers, tmp_path, "mcp__made__greet", name="Ada")

    assert after.text == "Hello Ada"


async def test_a_server_that_has_forgotten_the_session_gets_a_new_one(tmp_path: Path) -> None:
    with served() as app:
        async with running(tmp_path, McpServerSettings("made", url=app.url)) as servers:
            await call(servers, tmp_path, "mcp__made__greet", name="Ada")
            app.stop()
            app.start()
            after = await call(servers, tmp_path, "mcp__made__greet", name="Bob")

    assert after.text == "Hello Bob"


async def test_a_server_that_is_gone_is_down_and_its_return_is_noticed(tmp_path: Path) -> None:
    with served() as app:
        async with running(tmp_path, McpServerSettings("made", url=app.url)) as servers:
            await call(servers, tmp_path, "mcp__made__greet", name="Ada")
            app.stop()
            gone = await call(servers, tmp_path, "mcp__made__greet", name="Bob")
            app.start()
            back = await call(servers, tmp_path, "mcp__made__greet", name="Cleo")

    assert orjson.loads(gone.text)["code"] == "server_down"
    assert back.text == "Hello Cleo"


async def test_hints_decide_whether_a_person_is_asked_unless_the_server_is_trusted(
    tmp_path: Path, app: ServedApp
) -> None:
    asked = {}
    for trust in (False, True):
        person = Person(Choice.ONCE)
        async with running(tmp_path, McpServerSettings("made", url=app.url, trust=trust)) as servers:
            await call(servers, tmp_path, "mcp__made__greet", person=person, name="Ada")
            await call(servers, tmp_path, "mcp__made__measure", person=person)
        asked[trust] = [question.reasons[0].kind for question in person.asked]

    assert asked == {False: ["mcp:made"], True: []}


async def test_an_address_where_nobody_listens_fails_with_a_reason(tmp_path: Path) -> None:
    async with running(tmp_path, McpServerSettings("made", url="http://127.0.0.1:1/mcp")) as servers:
        toolset = await servers.toolset(new_turn(tmp_path))

        assert only(servers).state is McpState.FAILED
        assert "made (it cannot be reached)" in toolset.note


async def test_an_address_of_something_else_fails_with_its_status(tmp_path: Path, app: ServedApp) -> None:
    settings = McpServerSettings("made", url=app.url.replace("/mcp", "/other"))
    async with running(tmp_path, settings) as servers:
        await servers.toolset(new_turn(tmp_path))

        assert only(servers).error == "it answered with HTTP status 404"


@pytest.mark.parametrize("json_response", [False, True])
async def test_a_giant_answer_over_http_costs_only_itself(tmp_path: Path, json_response: bool) -> None:
    with served(json_response=json_response) as app:
        async with running(tmp_path, McpServerSettings("made", url=app.url)) as servers:
            giant = await call(servers, tmp_path, "mcp__made__fill", characters=LARGEST_MESSAGE + 1)
            after = await call(servers, tmp_path, "mcp__made__greet", name="Ada")

    assert giant.is_error
    assert len(giant.text) < 1_000
    assert after.text == "Hello Ada"


async def test_a_server_without_a_handshake_works_and_says_when_its_tools_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(session: ClientSession) -> None:
        raise MCPError(METHOD_NOT_FOUND, "there is no handshake")

    monkeypatch.setattr(ClientSession, "initialize", refuse)
    with served() as app:
        async with running(tmp_path, McpServerSettings("made", url=app.url)) as servers:
            greeting = await call(servers, tmp_path, "mcp__made__greet", name="Ada")
            await call(servers, tmp_path, "mcp__made__grow")
            await eventually(lambda: any(facts.tool == "grown" for facts in only(servers).tools))

    assert greeting.text == "Hello Ada"
