"""Attachments: taken in as they are, told by their bytes, given to their owner only, and gone with their session."""

import asyncio
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.patience import PATIENCE
from tests.unit.model.files.test_file_type import GIF, PNG
from tests.web.kit import KEYS, Reply, Served
from wakeful.model.journal.message import UserMessage


async def upload(web: Served, data: Any, name: str = "file", who: str = "ann", session_id: str = "") -> Reply:
    query = {"name": name, "session_id": session_id}
    return await web.request("POST", "/api/attachments", who, params=query, data=data)


async def fetched(web: Served, attachment_id: str, who: str = "ann") -> tuple[int, bytes, Any]:
    headers = {"Authorization": f"Bearer {KEYS[who]}"}
    async with web.http.get(f"/api/attachments/{attachment_id}", headers=headers) as response:
        return response.status, await response.read(), response.headers


async def test_a_file_comes_back_as_it_was_and_its_type_is_told_by_its_bytes(web: Served) -> None:
    taken = await upload(web, PNG, "../../a/cat.html", session_id=await web.new_session())
    status, data, headers = await fetched(web, taken.json["id"])

    assert taken.json == {"id": taken.json["id"], "name": "cat.html", "type": "image/png", "size": len(PNG)}
    assert (status, data) == (200, PNG)
    assert headers["Content-Type"] == "image/png"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Content-Disposition"].startswith("inline")


@pytest.mark.parametrize(
    "data", [b"<script>alert(1)</script>", b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', b"\0\x01"]
)
async def test_everything_but_pictures_is_a_download_whatever_it_is_called(web: Served, data: bytes) -> None:
    taken = await upload(web, data, 'a"b\r\nX-Evil: 1.png')
    _, _, headers = await fetched(web, taken.json["id"])

    assert headers["Content-Type"] == "application/octet-stream"
    assert headers["Content-Disposition"].startswith("attachment")
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "X-Evil" not in headers


async def test_a_polyglot_is_shown_as_the_picture_that_it_begins_with_and_never_run(web: Served) -> None:
    taken = await upload(web, GIF + b"/*<script>alert(1)</script>*/", "x.js")
    _, _, headers = await fetched(web, taken.json["id"])

    assert headers["Content-Type"] == "image/gif"
    assert "sandbox" in headers["Content-Security-Policy"]


async def test_a_message_has_its_files_and_the_agent_gets_them(web: Served) -> None:
    session_id = await web.new_session()
    ids = [(await upload(web, data, name)).json["id"] for data, name in ((PNG, "cat.png"), (b"hi", "note.txt"))]

    turn_id = await web.say(session_id, "", "finish", attachments=ids)
    frames = await web.finished(turn_id)

    shown = (await web.shown(session_id))["messages"][0]
    assert [(file["id"], file["name"], file["url"]) for file in shown["attachments"]] == [
        (ids[0], "cat.png", f"/api/attachments/{ids[0]}"),
        (ids[1], "note.txt", f"/api/attachments/{ids[1]}"),
    ]
    assert [frame.data["attachments"] for frame in frames if frame.event == "message"] == [shown["attachments"]]
    said = web.agent.briefs[turn_id].messages[0]
    assert isinstance(said, UserMessage)
    assert [file.id for file in said.files] == ids


async def test_an_edited_message_keeps_its_files_unless_it_names_others(web: Served) -> None:
    session_id = await web.new_session()
    one, two = [(await upload(web, PNG, name)).json["id"] for name in ("one.png", "two.png")]
    turn_id = await web.say(session_id, "look", "finish", attachments=[one])
    await web.finished(turn_id)

    for named, expected in ((None, [one]), ([two], [two]), ([], [])):
        given = {} if named is None else {"attachments": named}
        edit = {"session_id": session_id, "message_id": f"{turn_id}.0.0", "message": "look again", **given}
        turn_id = (await web.post("/api/chat/edit", edit)).json["turn_id"]
        web.agent.order(turn_id, "finish")
        await web.finished(turn_id)
        shown = (await web.shown(session_id))["messages"][0]
        assert [file["id"] for file in shown.get("attachments", [])] == expected


async def test_an_answer_that_is_given_again_is_to_the_same_files(web: Served) -> None:
    session_id = await web.new_session()
    one = (await upload(web, PNG)).json["id"]
    await web.finished(await web.say(session_id, "look", "finish", attachments=[one]))

    again = await web.post("/api/chat/regenerate", {"session_id": session_id})

    said = (await web.running(again.json["turn_id"])).messages[0]
    assert [file.id for file in said.files] == [one]


async def test_unknown_foreign_and_too_many_ids_are_refused(web: Served) -> None:
    session_id = await web.new_session()
    foreign = (await upload(web, PNG, who="bob")).json["id"]
    own = [(await upload(web, b"x")).json["id"] for _ in range(11)]

    for ids in (["att_none"], [foreign], ["../../key"], own):
        given = {"session_id": session_id, "message": "look", "attachments": ids}
        reply = await web.post("/api/chat/start", given)
        assert (reply.status, reply.json["error"]["code"]) == (400, "invalid_request")
    assert (await fetched(web, foreign))[0] == 404
    assert (await web.request("GET", f"/api/attachments/{foreign}", "nobody")).status == 401
    assert (await upload(web, b"x", who="bob", session_id=session_id)).status == 404


async def test_a_file_that_is_too_large_is_refused_and_leaves_nothing(web: Served, tmp_path: Path) -> None:
    async def endless() -> Any:
        piece = b"\0" * 1024 * 1024
        for _ in range(1024):
            yield piece

    try:
        status = (await upload(web, endless())).status
    except aiohttp.ClientError:
        # The server closes the connection while the client still sends.
        status = 413

    assert status == 413
    assert list((tmp_path / ".home" / "attachments").rglob("*part*")) == []


@pytest.mark.parametrize(("length", "status"), [(20 * 1024 * 1024 + 1, b"413"), (20 * 1024 * 1024, b"100")])
async def test_a_file_that_says_it_is_too_large_is_refused_before_it_comes(
    web: Served, length: int, status: bytes
) -> None:
    port = int(web.url.rpartition(":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"POST /api/attachments?name=x HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {KEYS['ann']}\r\n"
    writer.write(f"{head}Content-Length: {length}\r\nExpect: 100-continue\r\n\r\n".encode())
    async with asyncio.timeout(PATIENCE):
        answer = await reader.readline()
    writer.close()

    assert answer.split()[1] == status


async def test_an_upload_that_is_cut_off_leaves_nothing(web: Served, tmp_path: Path) -> None:
    host, port = web.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    head = f"POST /api/attachments?name=x HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {KEYS['ann']}\r\n"
    writer.write(f"{head}Content-Length: 1000\r\n\r\n".encode() + b"half")
    writer.write_eof()
    async with asyncio.timeout(PATIENCE):
        await reader.read()
    writer.close()

    assert (await upload(web, b"whole")).status == 200
    async with asyncio.timeout(PATIENCE):
        while len(list((tmp_path / ".home" / "attachments" / "all").iterdir())) != 1:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_a_deleted_session_takes_its_files_along(web: Served) -> None:
    session_id = await web.new_session()
    one = (await upload(web, PNG)).json["id"]
    await web.finished(await web.say(session_id, "look", "finish", attachments=[one]))

    await web.engine.purger.delete(session_id)
    await web.store.write(lambda tx: tx.sessions.delete(session_id, 0.0), lock=[session_id])
    await web.engine.purger.sweep()

    assert (await fetched(web, one))[0] == 404
