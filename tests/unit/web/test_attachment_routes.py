"""Files that clients send and fetch: by whom, how large, and as what a browser gets them."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.unit.building.kit import KEY, Server, config_in, server_of
from tests.unit.model.files.test_file_type import PNG

_TOML = 'api_keys = { ann = "the-key-of-ann-is-this", bob = "the-key-of-bob-is-this" }\nattachment_mib = 1\n'
_KEYS = {"operator": KEY, "ann": "the-key-of-ann-is-this", "bob": "the-key-of-bob-is-this"}


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    async with server_of(config_in(tmp_path, _TOML)) as server:
        yield server


def by(who: str) -> dict[str, str]:
    return {"authorization": f"Bearer {_KEYS[who]}"}


async def sent(server: Server, data: bytes, name: str = "a", who: str = "ann", session_id: str = "") -> str:
    query = {"name": name, "session_id": session_id}
    answer = await server.http.post("/api/attachments", params=query, content=data, headers=by(who))
    assert answer.status_code == 200, answer.text
    return str(answer.json()["id"])


async def statuses(server: Server, attachment_id: str) -> dict[str, int]:
    path = f"/api/attachments/{attachment_id}"
    return {who: (await server.http.get(path, headers=by(who))).status_code for who in _KEYS}


async def test_a_file_is_given_to_its_owner_and_the_operator_alone(server: Server) -> None:
    session_id = (await server.http.post("/api/session/new", json={}, headers=by("ann"))).json()["session_id"]

    assert await statuses(server, await sent(server, b"x")) == {"operator": 200, "ann": 200, "bob": 404}
    # What the operator sends to a session of Ann's is hers.
    for_ann = await sent(server, b"x", who="operator", session_id=session_id)
    assert await statuses(server, for_ann) == {"operator": 200, "ann": 200, "bob": 404}
    assert await statuses(server, await sent(server, b"x", who="operator")) == {"operator": 200, "ann": 404, "bob": 404}
    query = {"name": "a", "session_id": session_id}
    refused = await server.http.post("/api/attachments", params=query, content=b"x", headers=by("bob"))
    assert refused.status_code == 404


async def test_a_message_has_files_of_its_sender_or_of_the_sessions_owner(server: Server) -> None:
    session_id = (await server.http.post("/api/session/new", json={}, headers=by("ann"))).json()["session_id"]
    files = {who: await sent(server, b"x", who=who) for who in _KEYS}

    async def told(who: str, of: str) -> int:
        message = {"session_id": session_id, "message": "count to 1", "attachments": [files[of]]}
        return (await server.http.post("/api/chat/start", json=message, headers=by(who))).status_code

    assert [await told("operator", of) for of in _KEYS] == [200, 200, 400]
    assert [await told("ann", of) for of in ("ann", "bob")] == [200, 400]


async def test_a_file_that_was_lost_is_not_found(server: Server, tmp_path: Path) -> None:
    attachment_id = await sent(server, b"x")
    (tmp_path / "attachments" / "all" / attachment_id).unlink()

    assert await statuses(server, attachment_id) == dict.fromkeys(_KEYS, 404)
    assert await statuses(server, "att_none") == dict.fromkeys(_KEYS, 404)


@pytest.mark.parametrize(("data", "type_", "manner"), [(PNG, "image/png", "inline"), (b"<p>", None, "attachment")])
async def test_only_a_picture_is_shown_in_its_place(
    server: Server, data: bytes, type_: str | None, manner: str
) -> None:
    attachment_id = await sent(server, data, "a/b ü.html")

    headers = (await server.http.get(f"/api/attachments/{attachment_id}", headers=by("ann"))).headers

    assert headers["content-type"] == (type_ or "application/octet-stream")
    assert headers["content-disposition"] == f"{manner}; filename*=utf-8''b%20%C3%BC.html"


@pytest.mark.parametrize(
    ("length", "status"), [(str(1 << 20), 200), (str((1 << 20) + 1), 413), ("9" * 25, 413), ("\xb2", 200), ("x", 200)]
)
async def test_a_file_is_refused_for_the_size_that_it_names(server: Server, length: str, status: int) -> None:
    headers = {b"authorization": by("ann")["authorization"].encode(), b"content-length": length.encode("latin-1")}

    answer = await server.http.post("/api/attachments?name=a", content=b"x", headers=headers)

    assert answer.status_code == status
    if status == 413:
        assert answer.json()["error"]["message"] == "It has more than 1 MiB, which is the most."
