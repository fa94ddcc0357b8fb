"""A background response's end reaches a receiver: signed, once, and also when the server died in between."""

import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import httpx2
import pytest
from standardwebhooks import Webhook

from tests.acceptance.command import Command, Server, greeting_of, until
from tests.endpoint import Endpoint, Script
from tests.unit.gateway.webhooks.kit import SECRET, Receiver, Visit
from wakeful.gateway.entrance.local_key import local_key

_KEY = "the-key-of-laptop"
# A server that accepts and closes turns, and is too slow to send anything.
_NEVER_SEND = """
import asyncio
from wakeful.gateway.messaging.outbox.postman import Postman

async def never(self):
    await asyncio.Event().wait()

Postman.sweep = never
"""


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with Receiver(204).serving() as receiver:
        yield receiver


@pytest.fixture
async def model() -> AsyncIterator[Endpoint]:
    async with Endpoint(Script(tokens=3)) as endpoint:
        yield endpoint


@pytest.fixture
def wakeful(tmp_path: Path, receiver: Receiver, model: Endpoint) -> Command:
    """The command, with one webhook for the responses of `laptop`."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text(
        f"""
        model = "openai:scripted"
        openai_base_url = "{model.url}"
        webhooks_allow_private = true
        api_keys = {{ laptop = "{_KEY}" }}
        [[webhooks]]
        url = "{receiver.endpoint().url}"
        secret = "{SECRET}"
        owner = "laptop"
        """,
        encoding="utf-8",
    )
    return Command(home, tmp_path)


async def test_a_background_response_is_reported_once_and_others_are_not(wakeful: Command, receiver: Receiver) -> None:
    async with wakeful.serving() as server:
        await _respond(server, background=False)
        response_id = await _respond(server, background=True)
        await until(lambda: _is_all_sent(wakeful, receiver))
        replies = [await server.get(path, local_key(wakeful.home)) for path in ("/api/outbox", "/api/platforms")]

    [visit] = receiver.visits
    _check(visit, response_id)
    outbox, platforms = (reply.json for reply in replies)
    [post] = outbox["posts"]
    assert (post["platform"], post["state"], post["message_id"]) == ("webhook", "sent", visit.headers["webhook-id"])
    assert platforms == {"platforms": [], "webhooks": {"waiting": 0, "refused": 0}}, "a receiver is no door"
    assert not {"hidden", SECRET.removeprefix("whsec_")} & set(re.findall(r"\w+", f"{outbox}"))


async def test_an_end_that_was_not_reported_before_a_kill_is_reported_after_it(
    wakeful: Command, receiver: Receiver
) -> None:
    process = await wakeful.start("serve", "--port", "0", before=_NEVER_SEND)
    server = Server(process, await greeting_of(process))
    try:
        response_id = await _respond(server, background=True)
        await until(lambda: _has_ended(server, response_id))
    finally:
        process.kill()
        await process.communicate()
    assert (receiver.visits, _waiting(wakeful)) == ([], 1)

    async with wakeful.serving():
        await until(lambda: _is_all_sent(wakeful, receiver))

    [visit] = receiver.visits
    _check(visit, response_id)


async def test_a_server_that_is_killed_while_it_sends_sends_the_same_again(
    wakeful: Command, receiver: Receiver
) -> None:
    receiver.is_mute = True
    async with wakeful.serving() as server:
        response_id = await _respond(server, background=True)
        await receiver.until_visited()
        server.process.kill()
        await server.process.wait()
    receiver.is_mute = False

    async with wakeful.serving():
        await until(lambda: _is_all_sent(wakeful, receiver))

    first, second = receiver.visits
    for visit in (first, second):
        _check(visit, response_id)
    assert (first.headers["webhook-id"], first.body) == (second.headers["webhook-id"], second.body)


def _check(visit: Visit, response_id: str) -> None:
    event = Webhook(SECRET).verify(visit.body, visit.headers)
    assert (event["type"], event["data"]) == ("response.completed", {"id": response_id})
    assert event["id"] == visit.headers["webhook-id"]


async def _respond(server: Server, *, background: bool) -> str:
    body = {"input": "Hello", "background": background}
    async with _client(server) as client:
        response = (await client.post("/v1/responses", json=body)).raise_for_status()
    response_id: str = response.json()["id"]
    return response_id


async def _has_ended(server: Server, response_id: str) -> bool:
    async with _client(server) as client:
        response = (await client.get(f"/v1/responses/{response_id}")).raise_for_status()
    status: str = response.json()["status"]
    return status == "completed"


async def _is_all_sent(wakeful: Command, receiver: Receiver) -> bool:
    """Return whether something arrived and the queue is empty, with no retry left."""
    return bool(receiver.visits) and _waiting(wakeful) == 0


def _waiting(wakeful: Command) -> int:
    with closing(sqlite3.connect(wakeful.home / "wakeful.db")) as connection:
        [count] = connection.execute("SELECT count(*) FROM posts WHERE state <> 'sent'").fetchone()
    return int(count)


def _client(server: Server) -> httpx2.AsyncClient:
    headers = {"authorization": f"Bearer {_KEY}"}
    return httpx2.AsyncClient(base_url=f"http://127.0.0.1:{server.port}", headers=headers, trust_env=False)
