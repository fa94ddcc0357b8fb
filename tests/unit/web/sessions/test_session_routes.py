"""Routes of sessions on a whole server: what was seen, which page comes next, and who may choose what."""

import hashlib
import hmac
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.unit.building.kit import KEY, Server, config_in, server_of
from wakeful.web.sessions import routes

_ANN = {"authorization": "Bearer the-key-of-somebody-else"}
_BOB = {"authorization": "Bearer the-key-of-somebody-more"}
_SECRET = "a-secret-of-16-characters-and-more"
_TOML = f"""
api_keys = {{ ann = "the-key-of-somebody-else", bob = "the-key-of-somebody-more" }}
[[hooks]]
name = "builds"
secret = "{_SECRET}"
signature = "github"
message = "count to 1"
"""


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    async with server_of(config_in(tmp_path, _TOML)) as server:
        yield server


async def made(server: Server, **fields: Any) -> str:
    answer = await server.http.post("/api/session/new", json=fields)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["session_id"])


async def told(server: Server, session_id: str, headers: dict[str, str] | None = None) -> None:
    """Send a message, and wait for the end of its answer."""
    message = {"session_id": session_id, "message": "count to 1"}
    turn_id = (await server.http.post("/api/chat/start", json=message, headers=headers)).json()["turn_id"]
    await server.http.get("/api/chat/stream", params={"stream_id": turn_id}, headers=headers)


async def listed(server: Server, **query: Any) -> Any:
    answer = await server.http.get("/api/sessions", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_who_claims_to_have_seen_what_is_to_come_has_not_seen_it(server: Server) -> None:
    session_id = await made(server)
    await told(server, session_id)
    await server.http.post("/api/session/seen", json={"session_id": session_id, "event_id": 1_000_000})
    assert [row["unread"] for row in (await listed(server))["sessions"]] == [False]

    await told(server, session_id)

    assert [row["unread"] for row in (await listed(server))["sessions"]] == [True]


async def test_what_was_seen_of_a_hooks_session_is_seen_where_its_key_is_asked_for(server: Server) -> None:
    signature = "sha256=" + hmac.new(_SECRET.encode(), b"{}", hashlib.sha256).hexdigest()
    headers = {"x-hub-signature-256": signature, "x-github-delivery": "1", "content-type": "application/json"}
    await server.http.post("/hooks/builds", content=b"{}", headers=headers)
    (row,) = (await listed(server, key="hook:builds"))["sessions"]
    await told(server, row["session_id"])
    assert [row["unread"] for row in (await listed(server, key="hook:builds"))["sessions"]] == [True]

    await server.http.post("/api/session/seen", json={"session_id": row["session_id"], "event_id": 1_000_000})

    assert [row["unread"] for row in (await listed(server, key="hook:builds"))["sessions"]] == [False]


async def test_what_others_have_said_hides_nothing_of_what_is_searched(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "_MOST_FOUND", 1)
    ids = []
    for headers in (_ANN, _BOB):
        ids.append((await server.http.post("/api/session/new", json={}, headers=headers)).json()["session_id"])
        await told(server, ids[-1], headers)

    for headers, found in ((_ANN, ids[:1]), (_BOB, ids[1:]), ({}, ids[1:])):
        answer = await server.http.get("/api/sessions", params={"q": "count"}, headers=headers)
        assert [row["session_id"] for row in answer.json()["sessions"]] == found


async def test_the_pages_of_the_list_have_each_session_once_and_pinned_ones_first(server: Server) -> None:
    ids = [await made(server) for _ in range(4)]
    await server.http.patch("/api/session", json={"session_id": ids[0], "pinned": True})

    first = await listed(server, limit=2)
    second = await listed(server, limit=2, cursor=first["next_cursor"])

    assert [row["session_id"] for row in first["sessions"]] == [ids[0], ids[3], ids[2]]
    assert ([row["session_id"] for row in second["sessions"]], second["next_cursor"]) == ([ids[1]], None)
    assert (await listed(server, limit=3))["next_cursor"] is None
    assert len((await listed(server, limit=0))["sessions"]) == 2


@pytest.mark.parametrize("cursor", ["x~ses_1", "1.0~", "1.0"])
async def test_a_cursor_of_the_list_that_was_not_given_out_is_refused(server: Server, cursor: str) -> None:
    answer = await server.http.get("/api/sessions", params={"cursor": cursor})

    assert (answer.status_code, answer.json()["error"]["message"]) == (
        400,
        "cursor must be the next_cursor of an earlier answer.",
    )


@pytest.mark.parametrize(
    ("headers", "mode", "status"),
    [
        ({}, "everything", 200),
        (_ANN, "everything", 403),
        (_ANN, "read_only", 200),
        ({}, "nothing", 400),
    ],
)
async def test_only_the_operator_lets_an_agent_do_everything(
    server: Server, headers: dict[str, str], mode: str, status: int
) -> None:
    by = {"authorization": f"Bearer {KEY}"} | headers

    assert (await server.http.post("/api/session/new", json={"mode": mode}, headers=by)).status_code == status
    session_id = (await server.http.post("/api/session/new", json={}, headers=by)).json()["session_id"]
    changed = await server.http.patch("/api/session", json={"session_id": session_id, "mode": mode}, headers=by)
    assert changed.status_code == status


async def test_others_than_the_operator_stay_inside_of_the_workspace(server: Server, tmp_path: Path) -> None:
    inside = tmp_path / "workspace" / "inside"
    inside.mkdir(parents=True)
    (tmp_path / "workspace" / "out").symlink_to(tmp_path)

    async def status(folder: Path, **headers: str) -> int:
        answer = await server.http.post("/api/session/new", json={"workspace": str(folder)}, headers=headers)
        return answer.status_code

    assert await status(tmp_path) == 200
    folders = (inside, inside.parent, tmp_path, inside.parent / "out")
    assert [await status(folder, **_ANN) for folder in folders] == [200, 200, 400, 400]


@pytest.mark.parametrize(
    ("change", "status"), [({}, 400), ({"title": "A"}, 200), ({"pinned": False}, 200), ({"archived": True}, 200)]
)
async def test_a_change_has_to_change_something(server: Server, change: dict[str, Any], status: int) -> None:
    session_id = await made(server)

    assert (await server.http.patch("/api/session", json={"session_id": session_id, **change})).status_code == status


async def test_a_deleted_session_is_restored_by_its_owner_alone(server: Server) -> None:
    session_id = await made(server)
    await server.http.delete("/api/session", params={"session_id": session_id})
    assert (await listed(server))["sessions"] == []

    refused = await server.http.post("/api/session/restore", json={"session_id": session_id}, headers=_ANN)
    assert (refused.status_code, (await listed(server))["sessions"]) == (404, [])
    await server.http.post("/api/session/restore", json={"session_id": session_id})
    assert [row["session_id"] for row in (await listed(server))["sessions"]] == [session_id]
