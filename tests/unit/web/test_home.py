"""The home page on a whole server, and what it says of a turn that runs."""

from pathlib import Path
from typing import Any

import pytest

from tests.unit.building.kit import config_in, server_of
from wakeful.model.journal.entry import Entry, EntryKind, answer_entry
from wakeful.model.journal.fact import Answered
from wakeful.model.journal.message import AssistantMessage, ToolCall, Usage
from wakeful.web.home.routes import _doing, _quote

CALLS = (ToolCall("a", "first", "{}"), ToolCall("b", "second", '{"x": 1}'))


def step(*finished: int, calls: tuple[ToolCall, ...] = CALLS) -> list[Entry]:
    answer = answer_entry("turn_1", Answered(3, AssistantMessage("", calls=calls), Usage(1, 1)))
    return [Entry("turn_1", 3, index, EntryKind.RESULT, b"{}", 0.0) for index in finished] + [answer]


@pytest.mark.parametrize(
    ("entries", "number", "call"),
    [
        (step(), 3, "first"),
        (step(1), 3, "second"),
        (step(2), 3, "first"),
        (step(1, 2), 4, None),
        (step(calls=()), 4, None),
    ],
)
def test_a_turn_does_the_first_call_that_has_no_result_and_then_answers(
    entries: list[Entry], number: int, call: str | None
) -> None:
    doing = _doing(entries)

    assert (doing.step, None if doing.call is None else doing.call.name) == (number, call)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("a  b\n\nc", "a b c"),
        ("x" * 200, "x" * 200),
        ("x" * 201, "x" * 198 + " …"),
        ("x" * 197 + " " + "y" * 9, "x" * 197 + " …"),
    ],
)
def test_a_long_answer_is_quoted_in_part(text: str, quote: str) -> None:
    assert _quote(text) == quote


async def test_recent_sessions_are_the_readers_own_with_their_last_answers(tmp_path: Path) -> None:
    toml = 'api_keys = { ann = "the-key-of-somebody-else" }\n'
    ann = {"authorization": "Bearer the-key-of-somebody-else"}
    async with server_of(config_in(tmp_path, toml)) as server:

        async def home(headers: dict[str, str] | None = None) -> Any:
            return (await server.http.get("/api/home", headers=headers)).json()

        ids = [(await server.http.post("/api/session/new", json={})).json()["session_id"] for _ in range(9)]
        sent = {"session_id": ids[0], "message": "count to 3"}
        turn_id = (await server.http.post("/api/chat/start", json=sent)).json()["turn_id"]
        await server.http.get("/api/chat/stream", params={"stream_id": turn_id})

        recent = (await home())["recent"]
        assert [row["session_id"] for row in recent] == [ids[0], *reversed(ids[2:])]
        assert [row["answer"] for row in recent] == ["1 2 3"] + [""] * 7
        assert [row["unread"] for row in recent] == [True] + [False] * 7
        assert await home(ann) == {"running": [], "reported": [], "recent": []}
