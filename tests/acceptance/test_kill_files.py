"""kill -9 between an upload and its message, and while a model is asked: nothing is lost, and the turn goes on with the
same system prompt.
"""

import asyncio
import signal
import sqlite3
from base64 import b64encode
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import aiohttp
import orjson

from tests.acceptance.command import Command, Server
from tests.endpoint import Endpoint, Script
from tests.patience import PATIENCE
from tests.unit.model.files.test_file_type import PNG


def _wakeful(folder: Path, endpoint: Endpoint) -> Command:
    home = folder / "home"
    home.mkdir(exist_ok=True)
    table = f'[providers.scripted]\nbase_url = "{endpoint.url}"\napi_key = "sk-scripted"\n'
    (home / "config.toml").write_text(table)
    return Command(home, folder, {"WAKEFUL_MODEL": "scripted:one", "WAKEFUL_LEASE_SECONDS": "1"})


async def _post(home: Path, server: Server, path: str, body: bytes, query: Mapping[str, str] | None = None) -> Any:
    headers = {"Authorization": f"Bearer {(home / 'key').read_text().strip()}"}
    url = f"http://127.0.0.1:{server.port}{path}"
    async with aiohttp.ClientSession() as http, http.post(url, data=body, params=query, headers=headers) as response:
        assert response.status == 200, await response.text()
        return await response.json()


async def _requests(endpoint: Endpoint, number: int) -> list[Any]:
    """Wait until the model was asked so many times, and return what it read."""
    async with asyncio.timeout(PATIENCE):
        while len(endpoint.tally.raw) < number:  # noqa: ASYNC110 - the endpoint has no event for it
            await asyncio.sleep(0.02)
    return [orjson.loads(body) for body in endpoint.tally.raw]


async def _until_prompt_is_stored(home: Path) -> None:
    """The model is asked while the prompt is being stored."""
    async with asyncio.timeout(PATIENCE):
        with closing(sqlite3.connect(home / "wakeful.db")) as database:
            while not database.execute("SELECT * FROM told").fetchall():  # noqa: ASYNC110 - another process
                await asyncio.sleep(0.02)


async def test_a_file_that_was_uploaded_before_a_crash_can_be_sent_after_it(tmp_path: Path) -> None:
    async with Endpoint(Script(tokens=1)) as endpoint:
        wakeful = _wakeful(tmp_path, endpoint)
        home = tmp_path / "home"
        async with wakeful.serving() as server:
            session = (await _post(home, server, "/api/session/new", b"{}"))["session_id"]
            query = {"name": "cat.png", "session_id": session}
            taken = await _post(home, server, "/api/attachments", PNG, query)
            await server.end(signal.SIGKILL)
        async with wakeful.serving() as server:
            message = {"session_id": session, "message": "look", "attachments": [taken["id"]]}
            await _post(home, server, "/api/chat/start", orjson.dumps(message))
            asked, *_ = await _requests(endpoint, 1)

    assert b64encode(PNG).decode() in orjson.dumps(asked).decode()


async def test_a_turn_that_goes_on_after_a_crash_has_the_same_prompt(tmp_path: Path) -> None:
    async with Endpoint([Script(hang=True), Script(tokens=1)]) as endpoint:
        wakeful = _wakeful(tmp_path, endpoint)
        home = tmp_path / "home"
        (home / "instructions.md").write_text("Answer in verse.")
        async with wakeful.serving() as server:
            session = (await _post(home, server, "/api/session/new", b"{}"))["session_id"]
            message = {"session_id": session, "message": "hello"}
            await _post(home, server, "/api/chat/start", orjson.dumps(message))
            await _requests(endpoint, 1)
            await _until_prompt_is_stored(home)
            await server.end(signal.SIGKILL)
        (home / "instructions.md").write_text("Answer in prose.")
        async with wakeful.serving():
            # A title may be asked for, too.
            first, again, *_ = await _requests(endpoint, 2)

    assert "Answer in verse." in first["messages"][0]["content"]
    assert again == first
