"""Calls of the server's tools as pairs of a call and its output, for clients that want them so."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import orjson
import pytest
from openai import OpenAI

from tests.api.conftest import scripted
from tests.api.server import ApiServer, ModelEndpoint, running_server, script

CALLS = script(calls=[{"name": "list_files", "id": "call_1", "arguments": {}}])
PAIR = ["function_call", "function_call_output", "message"]


@pytest.fixture
def with_pairs(tmp_path: Path, endpoint: ModelEndpoint) -> Iterator[ApiServer]:
    settings = {**scripted(endpoint), "WAKEFUL_TOOL_ITEMS": "function_call"}
    with running_server(tmp_path / "home", **settings) as server:
        yield server


def test_a_response_keeps_the_shape_that_it_was_made_with(with_pairs: ApiServer, endpoint: ModelEndpoint) -> None:
    with with_pairs.client() as client:
        made = client.responses.create(input=CALLS, conversation="of pairs")
        before = frames_of(client, made.id)
        unstored = client.responses.create(input=CALLS, store=False)
    assert [item.type for item in made.output] == [item.type for item in unstored.output] == PAIR
    call, output = (item.to_dict() for item in made.output[:2])
    assert call["call_id"] == output["call_id"] == "call_1"

    with_pairs.kill()
    as_the_last_version_left_them(with_pairs.home)
    with_pairs.settings = scripted(endpoint)
    with_pairs.start()

    with with_pairs.client() as client:
        assert frames_of(client, made.id) == before
        assert client.responses.retrieve(made.id).output == made.output
        assert client.responses.create(input=CALLS, conversation="of pairs").output[0].type == "mcp_call"
        listed = client.conversations.items.list(made.conversation.id if made.conversation else "", order="asc")
        assert [item.type for item in listed] == ["message", *PAIR, "message", "mcp_call", "message"]


@pytest.mark.parametrize("half", ["function_call", "function_call_output"])
def test_a_call_and_its_output_are_deleted_together(with_pairs: ApiServer, half: str) -> None:
    with with_pairs.client() as client:
        made = client.responses.create(input=CALLS, conversation="of pairs")
        doomed = next(item for item in made.output if item.type == half)
        conversation = made.conversation.id if made.conversation else ""

        client.conversations.items.delete(str(doomed.id), conversation_id=conversation)

        assert [item.type for item in client.conversations.items.list(conversation)] == ["message", "message"]


def frames_of(client: OpenAI, response_id: str) -> list[dict[str, Any]]:
    return [event.to_dict() for event in client.responses.retrieve(response_id, stream=True)]


def as_the_last_version_left_them(home: Path) -> None:
    """Remove the shape of the items from stored turns: the last version had only one and did not store it."""
    with closing(sqlite3.connect(home / "wakeful.db")) as connection, connection:
        for turn_id, stored in connection.execute("SELECT id, request FROM turns").fetchall():
            known = orjson.loads(stored)
            del known["tool_items"], known["allowed_tools"]
            connection.execute("UPDATE turns SET request = ? WHERE id = ?", (orjson.dumps(known), turn_id))
