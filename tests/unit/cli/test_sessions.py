"""`wakeful sessions`, and how a session is found by a part of its id."""

from typing import Any

import orjson
import pytest

from tests.unit.cli.scripted_server import ScriptedServer, Typist
from wakeful.cli.client import RequestRefused
from wakeful.cli.lists.session_list import find_session, recent_sessions
from wakeful.cli.sessions import sessions
from wakeful.errors import SessionNotFound


def row(session_id: str) -> dict[str, Any]:
    shown = {"session_id": session_id, "title": "Hello", "updated_at": "2020-05-01T12:00:00.000Z"}
    return shown | {"active_turn_id": None, "running_tasks": 0, "needs_you": 0, "unread": False, "last_status": None}


def page(*ids: str, next_cursor: str | None = None) -> dict[str, Any]:
    return {"sessions": [row(session_id) for session_id in ids], "next_cursor": next_cursor}


def test_sessions_are_listed_as_lines_or_as_json(typist: Typist) -> None:
    server = ScriptedServer({"GET /api/sessions": page("ses_a", "ses_b")})

    lines = typist.run(sessions, server).output.splitlines()
    rows = orjson.loads(typist.run(sessions, server, "--json", "--limit", "2").output)

    assert [line.split()[0] for line in lines] == ["a", "b"]
    assert [row["session_id"] for row in rows] == ["ses_a", "ses_b"]
    assert [carried["limit"] for _, carried in server.asked] == [50, 2]


def test_without_sessions_it_says_so(typist: Typist) -> None:
    assert typist.run(sessions, ScriptedServer({"GET /api/sessions": page()})).output == "There are no sessions yet.\n"


async def test_pages_are_read_up_to_the_limit() -> None:
    server = ScriptedServer({"GET /api/sessions": [page(*map(str, range(200)), next_cursor="c1"), page("x", "y")]})

    found = await recent_sessions(server, 202)

    assert [row["session_id"] for row in found[-3:]] == ["199", "x", "y"]
    assert [carried for _, carried in server.asked] == [{"limit": 200, "cursor": ""}, {"limit": 2, "cursor": "c1"}]


async def test_the_last_page_ends_the_list_before_the_limit() -> None:
    server = ScriptedServer({"GET /api/sessions": page("ses_a")})

    assert len(await recent_sessions(server, 500)) == 1
    assert len(server.asked) == 1


async def test_a_whole_id_is_asked_for_and_not_searched() -> None:
    server = ScriptedServer({"GET /api/session": {"session": {"session_id": "ses_a"}}})

    assert await find_session(server, "ses_a") == "ses_a"
    assert server.asked == [("GET /api/session", {"session_id": "ses_a", "limit": 1})]


async def test_a_part_of_an_id_is_searched_in_the_list() -> None:
    server = ScriptedServer({"GET /api/sessions": page("ses_01abc", "ses_01xyz")})

    assert await find_session(server, "xyz") == "ses_01xyz"
    with pytest.raises(SessionNotFound, match="There is no session nothing"):
        await find_session(server, "nothing")


@pytest.mark.parametrize(("status", "is_searched"), [(400, True), (404, True), (500, False), (403, False)])
async def test_only_an_id_that_is_not_known_is_searched(status: int, is_searched: bool) -> None:
    class Refusing(ScriptedServer):
        async def get(self, path: str, **query: str | int) -> dict[str, Any]:
            if path == "/api/session":
                raise RequestRefused(status, {"message": "No."})
            return await super().get(path, **query)

    server = Refusing({"GET /api/sessions": page("ses_01xyz")})

    if is_searched:
        assert await find_session(server, "xyz") == "ses_01xyz"
    else:
        with pytest.raises(RequestRefused, match="No"):
            await find_session(server, "xyz")
