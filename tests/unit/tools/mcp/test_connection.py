"""Requests to an MCP server, and what becomes of its answers."""

import asyncio
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from wakeful.tools.mcp.failures import CallRefused, ServerEnded, SessionGone
from wakeful.tools.mcp.sdk.connection import McpConnection
from wakeful.tools.mcp.sdk.streams import Streams


class Dispatcher:
    """Answers each request with what stands next in its list."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, Any]] = []

    async def send_raw_request(self, method: str, params: Any, options: Mapping[str, Any]) -> Any:
        assert list(options["headers"].values()) == ["2025-06-18"]
        self.asked.append((method, params))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def connection_to(dispatcher: Dispatcher, *, has_lost_session: bool = False) -> tuple[McpConnection, asyncio.Event]:
    ended = asyncio.Event()
    streams = Streams(
        None, None, ended, lambda: ServerEnded("it was killed"), has_lost_session=lambda: has_lost_session
    )
    session: Any = SimpleNamespace(initialize_result=SimpleNamespace(protocol_version="2025-06-18"))
    return McpConnection(session, dispatcher, streams), ended  # type: ignore[arg-type]


async def test_a_call_is_sent_with_its_arguments_and_its_answer_returned_as_it_is() -> None:
    dispatcher = Dispatcher({"content": [], "odd": 1})
    connection, _ = connection_to(dispatcher)

    assert await connection.call("write", {"a": None, "b": 2}) == {"content": [], "odd": 1}
    assert dispatcher.asked == [("tools/call", {"name": "write", "arguments": {"a": None, "b": 2}})]


async def test_a_list_is_read_page_by_page() -> None:
    dispatcher = Dispatcher({"tools": [1, 2], "nextCursor": "b"}, {"tools": "odd", "nextCursor": "c"}, {"tools": [3]})
    connection, _ = connection_to(dispatcher)

    assert await connection.list_tools() == [1, 2, 3]
    assert dispatcher.asked == [
        ("tools/list", None),
        ("tools/list", {"cursor": "b"}),
        ("tools/list", {"cursor": "c"}),
    ]


@pytest.mark.parametrize(("entries", "pages"), [(1, 100), (5_000, 3), (10_001, 1)])
async def test_a_list_without_an_end_is_left(entries: int, pages: int) -> None:
    dispatcher = Dispatcher({"tools": list(range(entries)), "nextCursor": "more"})
    connection, _ = connection_to(dispatcher)

    assert len(await connection.list_tools()) == entries * pages
    assert len(dispatcher.asked) == pages


@pytest.mark.parametrize("cursor", ["", 7, None])
async def test_a_cursor_that_is_none_ends_the_list(cursor: Any) -> None:
    connection, _ = connection_to(Dispatcher({"tools": [1], "nextCursor": cursor}))

    assert await connection.list_tools() == [1]


async def test_an_error_of_the_server_refuses_the_call_or_the_whole_list() -> None:
    connection, _ = connection_to(Dispatcher(MCPError(types.CONNECTION_CLOSED, "The disk is full.")))

    with pytest.raises(CallRefused, match="The disk is full"):
        await connection.call("write", {})
    with pytest.raises(ServerEnded, match="it does not list its tools") as ended:
        await connection.list_tools()
    assert ended.value.said == "The disk is full."


async def test_an_answer_that_cannot_be_read_refuses_the_call() -> None:
    with pytest.raises(ValidationError) as invalid:
        types.CallToolRequestParams.model_validate({"name": []})
    connection, _ = connection_to(Dispatcher(invalid.value))

    with pytest.raises(CallRefused, match="The server answered what no version of MCP knows"):
        await connection.call("write", {})


async def test_a_connection_that_broke_is_the_end_of_the_server_with_its_cause() -> None:
    connection, ended = connection_to(Dispatcher(MCPError(types.CONNECTION_CLOSED, "Connection closed")))
    ended.set()

    with pytest.raises(ServerEnded, match="it was killed"):
        await connection.call("write", {})


async def test_a_session_that_the_server_forgot_is_told_apart_from_its_end() -> None:
    error = MCPError(types.CONNECTION_CLOSED, "Connection closed")
    lost, lost_end = connection_to(Dispatcher(error), has_lost_session=True)
    killed, killed_end = connection_to(Dispatcher(error))
    lost_end.set()
    killed_end.set()

    with pytest.raises(SessionGone):
        await lost.call("write", {})
    with pytest.raises(SessionGone):
        await lost.ended()
    with pytest.raises(ServerEnded, match="it was killed"):
        await killed.ended()
