"""Pictures and files reach the model on each wire, and the next request of the session repeats them byte by byte, also
after a restart.
"""

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.endpoint import Endpoint, Script
from tests.patience import PATIENCE
from tests.unit.model.files.test_file_type import PNG
from wakeful.app import running_engine
from wakeful.building.engine import Running
from wakeful.config.load import load_config
from wakeful.engine.inbox.submission import Submission
from wakeful.gateway.platforms.local import WebAdapter
from wakeful.model.event import FINAL_KINDS
from wakeful.model.files.attachment import Attachment
from wakeful.model.session import Address, Session
from wakeful.store.base import Signal

_MODEL = "scripted:one"
_DOOR = WebAdapter.door()
_MARK = b',"cache_control":{"type":"ephemeral"}'
_ENDS = {"openai": b"}]}", "anthropic": b"}]}]}", "responses": b"}]}"}
_BASE64 = b64encode(PNG).decode()
_URL = f"data:image/png;base64,{_BASE64}"
_LINE = f"[Image: cat.png, 640×480, {len(PNG)} bytes]"  # noqa: RUF001


@asynccontextmanager
async def _server(home: Path, kind: str, endpoint: Endpoint, more: str = "") -> AsyncIterator[Running]:
    url = endpoint.root if kind == "anthropic" else endpoint.url
    table = f'[providers.scripted]\nkind = "{kind}"\nbase_url = "{url}"\napi_key = "sk-scripted"\n{more}'
    (home / "config.toml").write_text(table, encoding="utf-8")
    config = load_config({"WAKEFUL_HOME": str(home), "WAKEFUL_STOP_GRACE_SECONDS": "0", "WAKEFUL_MODEL": _MODEL})
    async with running_engine(config, adopts=False) as running:
        yield running


async def _say(running: Running, session_id: str, words: str, attachments: tuple[Attachment, ...] = ()) -> None:
    is_over = asyncio.Event()

    def hear(signal: Signal) -> None:
        if any(event.kind in FINAL_KINDS for event in signal.events):
            is_over.set()

    running.store.notifier.listen(hear)
    given = Submission(session_id, words, _DOOR, Address(_DOOR.name), words, _MODEL, attachments=attachments)
    await running.engine.submit(given)
    async with asyncio.timeout(PATIENCE):
        await is_over.wait()


async def _attached(running: Running, session: Session, data: bytes, name: str) -> Attachment:
    async def pieces() -> AsyncIterator[bytes]:
        yield data

    taken = await running.attachments.receive(name, pieces(), session.owner)
    (claimed,) = await running.attachments.claim([taken.id], session, session.owner)
    return claimed


async def _session(running: Running, folder: Path) -> Session:
    return await running.engine.create_session("me", Address(_DOOR.name), _MODEL, str(folder))


def _workspace(home: Path) -> Path:
    folder = home / "workspace"
    folder.mkdir(exist_ok=True)
    return folder


def _pictures_in(body: Any, kind: str) -> int:
    text = orjson.dumps(body).decode()
    return text.count(_BASE64 if kind == "anthropic" else _URL)


def _assert_repeats(bodies: list[bytes], kind: str) -> None:
    for former, latter in pairwise(bodies):
        assert latter.replace(_MARK, b"").startswith(former.replace(_MARK, b"").removesuffix(_ENDS[kind]))


@pytest.mark.parametrize("kind", _ENDS)
async def test_the_model_sees_what_read_file_has_read(tmp_path: Path, kind: str) -> None:
    (_workspace(tmp_path) / "cat.png").write_bytes(PNG)
    calls = [{"name": "list_files", "arguments": {}}, {"name": "read_file", "arguments": {"path": "cat.png"}}]
    async with Endpoint(Script(calls=calls, tokens=1)) as endpoint:
        async with _server(tmp_path, kind, endpoint) as running:
            session = await _session(running, _workspace(tmp_path))
            await _say(running, session.id, "one")
        (_workspace(tmp_path) / "cat.png").unlink()
        async with _server(tmp_path, kind, endpoint) as running:
            await _say(running, session.id, "two")

    bodies = endpoint.tally.raw
    _assert_repeats(bodies, kind)
    assert [_pictures_in(orjson.loads(body), kind) for body in bodies[:3]] == [0, 1, 1]
    assert _LINE in orjson.dumps(orjson.loads(bodies[1])).decode()
    _assert_in_its_place(orjson.loads(bodies[1]), kind)


def _assert_in_its_place(body: Any, kind: str) -> None:
    if kind == "openai":
        *_, result, pictures = body["messages"]
        assert (result["role"], pictures["role"]) == ("tool", "user")
        assert pictures["content"][-1] == {"type": "image_url", "image_url": {"url": _URL}}
    elif kind == "anthropic":
        result = body["messages"][-1]["content"][-1]
        assert result["type"] == "tool_result"
        assert result["content"][-1]["source"] == {"type": "base64", "media_type": "image/png", "data": _BASE64}
    else:
        result = body["input"][-1]
        assert result["type"] == "function_call_output"
        assert result["output"][-1]["image_url"] == _URL


@pytest.mark.parametrize("kind", _ENDS)
async def test_the_model_gets_attached_pictures_texts_and_paths(tmp_path: Path, kind: str) -> None:
    async with Endpoint(Script(tokens=1)) as endpoint:
        async with _server(tmp_path, kind, endpoint) as running:
            session = await _session(running, _workspace(tmp_path))
            files = [
                await _attached(running, session, data, name)
                for data, name in ((PNG, "cat.png"), (b"The rent is 900.", "rent.txt"), (b"\0\1", "tool.bin"))
            ]
            await _say(running, session.id, "look", tuple(files))
        async with _server(tmp_path, kind, endpoint) as running:
            await _say(running, session.id, "and now")

    _assert_repeats(endpoint.tally.raw, kind)
    body = orjson.loads(endpoint.tally.raw[0])
    text = orjson.dumps(body).decode()
    assert _pictures_in(body, kind) == 1
    assert _LINE in text
    assert "[File: rent.txt]" in text
    assert "The rent is 900." in text
    assert str(tmp_path / "attachments" / session.id / f"{files[2].id}-tool.bin") in text


async def test_a_model_without_vision_is_told_instead(tmp_path: Path) -> None:
    (_workspace(tmp_path) / "cat.png").write_bytes(PNG)
    calls = [{"name": "read_file", "arguments": {"path": "cat.png"}}]
    blind = f'[models."{_MODEL}"]\nvision = false\n'
    async with Endpoint(Script(calls=calls, tokens=1)) as endpoint, _server(tmp_path, "openai", endpoint, blind) as run:
        session = await _session(run, _workspace(tmp_path))
        await _say(run, session.id, "look", (await _attached(run, session, PNG, "cat.png"),))

    asked, answered = map(orjson.loads, endpoint.tally.raw)
    assert (_pictures_in(asked, "openai"), _pictures_in(answered, "openai")) == (0, 0)
    assert "This model cannot see pictures." in asked["messages"][-1]["content"]
    assert answered["messages"][-1]["content"] == f"{_LINE}\n[This model cannot see pictures.]"


async def test_the_model_reads_what_was_sent_whatever_the_agent_has_made_of_its_copy(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("sk-secret")
    async with Endpoint(Script(tokens=1)) as endpoint, _server(tmp_path, "openai", endpoint) as running:
        session = await _session(running, _workspace(tmp_path))
        note = await _attached(running, session, b"The rent is 900.", "rent.txt")
        copy = await running.attachments.path_for(note.id, session.id)
        assert copy is not None
        copy.unlink()
        copy.symlink_to(tmp_path / "secret")
        await _say(running, session.id, "look", (note,))

    text = endpoint.tally.raw[0].decode()
    assert "The rent is 900." in text
    assert "sk-secret" not in text


async def test_a_turn_is_told_the_same_until_its_end_and_the_next_one_anew(tmp_path: Path) -> None:
    (tmp_path / "instructions.md").write_text("Answer in verse.")
    write = {"path": str(tmp_path / "memory.md"), "content": "Her cat is called Mia."}
    calls = [{"name": "write_file", "arguments": write}]
    async with Endpoint(Script(calls=calls, tokens=1)) as endpoint, _server(tmp_path, "openai", endpoint) as running:
        session = await running.engine.create_session("operator", Address(_DOOR.name), _MODEL, str(tmp_path))
        await _say(running, session.id, "remember")
        (tmp_path / "instructions.md").write_text("Answer in prose.")
        await _say(running, session.id, "again")

    first, second, third, _ = [orjson.loads(body)["messages"][0]["content"] for body in endpoint.tally.raw]
    assert "Answer in verse." in first
    assert second == first
    assert "Answer in prose." in third
    assert "Her cat is called Mia." in third
