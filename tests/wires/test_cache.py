"""A provider's cache hits only while requests begin with the same bytes: within a session, and over a restart."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest

from tests.acceptance.command import Command
from tests.endpoint import Endpoint, Script
from tests.patience import PATIENCE
from wakeful.app import running_engine
from wakeful.building.engine import Running
from wakeful.config.load import load_config
from wakeful.engine.inbox.submission import Submission
from wakeful.gateway.platforms.local import AskAdapter
from wakeful.model.event import FINAL_KINDS
from wakeful.model.session import Address
from wakeful.store.base import Signal

_MODEL = "scripted:one"
_DOOR = AskAdapter.door()
_MARK = b',"cache_control":{"type":"ephemeral"}'
_CALLS = [{"name": "list_files", "arguments": {}}, {"name": "read_file", "arguments": {"path": "nowhere"}}]
# How the last message of a body ends, by the API: what comes before it repeats.
_ENDS = {"openai": b"}]}", "anthropic": b"}]}]}", "responses": b"}]}"}


@asynccontextmanager
async def _server(home: Path, kind: str, endpoint: Endpoint) -> AsyncIterator[Running]:
    url = endpoint.root if kind == "anthropic" else endpoint.url
    table = f'[providers.scripted]\nkind = "{kind}"\nbase_url = "{url}"\napi_key = "sk-scripted"\n'
    (home / "config.toml").write_text(table, encoding="utf-8")
    config = load_config({"WAKEFUL_HOME": str(home), "WAKEFUL_STOP_GRACE_SECONDS": "0", "WAKEFUL_MODEL": _MODEL})
    async with running_engine(config, adopts=False) as running:
        yield running


async def _say(running: Running, session_id: str, words: str) -> None:
    """Say something, and wait for the end of the turn."""
    is_over = asyncio.Event()

    def hear(signal: Signal) -> None:
        if any(event.kind in FINAL_KINDS for event in signal.events):
            is_over.set()

    running.store.notifier.listen(hear)
    await running.engine.submit(Submission(session_id, words, _DOOR, Address(_DOOR.name), words, _MODEL))
    async with asyncio.timeout(PATIENCE):
        await is_over.wait()


def _beginning(body: bytes, kind: str) -> bytes:
    """Return what the next request has to begin with: all up to the last mark, which is at the end."""
    end = _ENDS[kind]
    assert body.endswith(end)
    return body.replace(_MARK, b"").removesuffix(end)


@pytest.mark.parametrize("kind", _ENDS)
async def test_each_request_of_a_session_begins_with_the_one_before_it(tmp_path: Path, kind: str) -> None:
    script = Script(calls=_CALLS, tokens=2, reasoning_tokens=2, hidden_reasoning=True)
    async with Endpoint(script) as endpoint:
        async with _server(tmp_path, kind, endpoint) as running:
            session = await running.engine.create_session("me", Address(_DOOR.name), _MODEL, str(tmp_path))
            await _say(running, session.id, "one")
            await _say(running, session.id, "two")
        async with _server(tmp_path, kind, endpoint) as running:
            await _say(running, session.id, "three")

    bodies = endpoint.tally.raw
    # Each message is answered with calls, and then with words.
    assert len(bodies) == 6
    for former, latter in pairwise(bodies):
        assert latter.replace(_MARK, b"").startswith(_beginning(former, kind))


async def test_another_process_on_another_day_begins_with_the_same_bytes(tmp_path: Path) -> None:
    wakeful = Command(
        tmp_path / "home", tmp_path, {"WAKEFUL_MODEL": "anthropic:one", "ANTHROPIC_API_KEY": "sk-scripted"}
    )
    async with Endpoint() as endpoint:
        for seed in ("1", "2"):
            asking = wakeful.having(ANTHROPIC_BASE_URL=endpoint.root, PYTHONHASHSEED=seed)
            assert (await asking.run("ask", "one")).code == 0

    one, other = endpoint.tally.raw
    assert one == other
    # The day has no place in it either, and this test cannot wait for the next one.
    assert str(datetime.now(UTC).year).encode() not in one
