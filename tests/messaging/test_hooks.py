"""Hooks: a signed request becomes one message in the right session, and a refused one leaves nothing."""

import asyncio
import hashlib
import hmac
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import orjson
import pytest
from starlette.types import ASGIApp

from tests.messaging.kit import Chatting, chatting
from tests.unit.gateway.asgi import Answer, request, well
from wakeful.gateway.entrance.auth import Keyring
from wakeful.gateway.hooks.hook import Hook, SignatureScheme
from wakeful.gateway.hooks.intake import HookIntake
from wakeful.gateway.hooks.routes import HookRoutes
from wakeful.gateway.http import http_app
from wakeful.gateway.messaging.inbound.sessions import NewSessions
from wakeful.gateway.messaging.settings import DoorSettings
from wakeful.model.session import Address, Session
from wakeful.store.base import Store

_SECRET = "a secret of GitHub's"
_HOOK = Hook("repo", _SECRET, SignatureScheme.GITHUB, "{action}: {issue.title}", events=frozenset({"issues"}))
_CHAT_HOOK = Hook("chat", _SECRET, SignatureScheme.GITHUB, "{action}", deliver=Address("telegram", "1"))
_OPENED = {"action": "opened", "issue": {"title": "It broke"}}


@dataclass
class Hooked:
    chat: Chatting
    app: ASGIApp

    async def post(
        self,
        payload: Any = _OPENED,
        *,
        hook: str = "repo",
        event: str = "issues",
        delivery: str = "",
        body: bytes | None = None,
        **headers: str,
    ) -> Answer:
        body = orjson.dumps(payload) if body is None else body
        signature = "sha256=" + hmac.new(_SECRET.encode(), body, hashlib.sha256).hexdigest()
        given = {
            "x-hub-signature-256": signature,
            "x-github-delivery": delivery or uuid4().hex,
            "x-github-event": event,
        }
        changes = {name.replace("_", "-"): value for name, value in headers.items()}
        return await request(self.app, f"/hooks/{hook}", method="POST", headers=given | changes, body=body)

    async def sessions(self) -> list[Session]:
        return await self.chat.store.read(lambda tx: tx.sessions.page(None, limit=10))


@asynccontextmanager
async def hooked(store: Store, workspace: Path) -> AsyncIterator[Hooked]:
    async with chatting(store, workspace) as chat:
        new = NewSessions("operator", "demo:led", workspace)
        intake = HookIntake(chat.engine, store, {"telegram": DoorSettings()}, new)
        routes = HookRoutes([_HOOK, _CHAT_HOOK], intake, body_kib=1).routes()
        yield Hooked(chat, http_app(Keyring({"operator": "key"}), routes, health=well))


async def test_a_delivery_opens_one_turn_in_the_hooks_own_session(store: Store, tmp_path: Path) -> None:
    async with hooked(store, tmp_path) as hooks:
        first = await hooks.post(delivery="d1")
        again = await hooks.post(delivery="d1")
        turn_id = await hooks.chat.turn()
        hooks.chat.agent.order(turn_id, "finish")
        await hooks.post({"action": "closed"}, delivery="d2")
        later = await hooks.chat.turn(2)
        (session,) = await hooks.sessions()

    assert (first.status, first.json) == (202, {"accepted": True, "duplicate": False})
    assert (again.status, again.json) == (202, {"accepted": True, "duplicate": True})
    assert "x-request-id" in first.headers
    brief = hooks.chat.agent.briefs[turn_id]
    assert (brief.turn.source, brief.turn.door.name, brief.turn.address.chat_id) == ("webhook", "hook", "repo")
    assert (session.chat_key, session.address, session.owner) == ("hook:repo", Address("hook", "repo"), "operator")
    assert list(hooks.chat.agent.briefs) == [turn_id, later]


async def test_deliveries_that_come_together_share_a_session(store: Store, tmp_path: Path) -> None:
    async with hooked(store, tmp_path) as hooks:
        replies = await asyncio.gather(*(hooks.post() for _ in range(5)))
        sessions = await hooks.sessions()

    assert [reply.status for reply in replies] == [202] * 5
    assert len(sessions) == 1


async def test_a_deleted_session_is_followed_by_a_new_one(store: Store, tmp_path: Path) -> None:
    async with hooked(store, tmp_path) as hooks:
        await hooks.post()
        (first,) = await hooks.sessions()
        await hooks.chat.engine.purger.delete(first.id)
        await hooks.post()
        (second,) = await hooks.sessions()

    assert (second.id != first.id, second.chat_key) == (True, "hook:repo")


async def test_a_hook_with_a_target_speaks_in_the_session_of_that_chat(store: Store, tmp_path: Path) -> None:
    async with hooked(store, tmp_path) as hooks:
        await hooks.chat.write("Hello", "5")
        hooks.chat.agent.order(await hooks.chat.turn(), "say Hi")
        await hooks.chat.shows("Hi")
        await hooks.post(hook="chat")
        hooks.chat.agent.order(await hooks.chat.turn(2), "say It was opened")
        await hooks.chat.shows("Hi", "It was opened")
        sessions = await hooks.sessions()

    assert [session.chat_key for session in sessions] == ["telegram:private:1"]


async def test_a_hook_may_speak_first_in_a_chat_and_a_person_then_goes_on_there(store: Store, tmp_path: Path) -> None:
    async with hooked(store, tmp_path) as hooks:
        await hooks.post(hook="chat")
        hooks.chat.agent.order(await hooks.chat.turn(), "say It was opened")
        await hooks.chat.shows("It was opened")
        await hooks.chat.write("Thanks", "5")
        await hooks.chat.turn(2)

        assert len(await hooks.sessions()) == 1


async def test_a_delivery_is_known_after_the_chat_has_begun_anew(store: Store, tmp_path: Path) -> None:
    async with hooked(store, tmp_path) as hooks:
        await hooks.post(hook="chat", delivery="d1")
        hooks.chat.agent.order(await hooks.chat.turn(), "finish")
        await hooks.chat.write("/new", "6")
        again = await hooks.post(hook="chat", delivery="d1")

    assert again.json["duplicate"] is True
    assert len(hooks.chat.agent.briefs) == 1


@pytest.mark.parametrize(
    ("how", "payload"),
    [({"event": "ping"}, _OPENED), ({"event": "push"}, _OPENED), ({"hook": "chat"}, {"nothing": "to say"})],
)
async def test_what_is_not_for_the_agent_is_accepted_without_a_turn(
    store: Store, tmp_path: Path, how: dict[str, Any], payload: Any
) -> None:
    async with hooked(store, tmp_path) as hooks:
        reply = await hooks.post(payload, **how)

        assert (reply.status, reply.json) == (202, {"accepted": True, "duplicate": False})
        assert await hooks.sessions() == []


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("how", "status", "code"),
    [
        ({"x_hub_signature_256": "sha256=00"}, 401, "bad_signature"),
        ({"x_hub_signature_256": ""}, 401, "bad_signature"),
        ({"hook": "nobody"}, 404, "not_found"),
        ({"body": b"x" * 1025}, 413, "body_too_large"),
        ({"body": b"payload=%7B%7D"}, 400, "invalid_request"),
        ({"body": b'{"action":' + b"[" * 300 + b"]" * 300 + b"}"}, 400, "invalid_request"),
        ({"x_github_delivery": "d" * 201}, 400, "invalid_request"),
        ({"x_github_delivery": ""}, 400, "invalid_request"),
    ],
)
async def test_a_refused_request_says_why_and_leaves_nothing(
    store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture, how: dict[str, Any], status: int, code: str
) -> None:
    async with hooked(store, tmp_path) as hooks:
        reply = await hooks.post(**how)

        assert (reply.status, reply.json["error"]["code"]) == (status, code)
        assert await hooks.sessions() == []
        assert not await store.read(lambda tx: tx.chats.of_platform("hook", 0.0))
    assert _SECRET not in caplog.text
    assert "It broke" not in caplog.text


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
async def test_the_largest_body_and_the_longest_id_are_taken(store: Store, tmp_path: Path) -> None:
    body = orjson.dumps(_OPENED)
    async with hooked(store, tmp_path) as hooks:
        replies = [await hooks.post(body=body + b" " * (1024 - len(body)), delivery="d" * 200) for _ in range(2)]

    assert [(reply.status, reply.json["duplicate"]) for reply in replies] == [(202, False), (202, True)]


async def test_a_request_by_a_foreign_name_reaches_no_hook(store: Store, tmp_path: Path) -> None:
    async with hooked(store, tmp_path) as hooks:
        # The second Host header is as bad as a wrong one.
        reply = await hooks.post(host="evil.example")

    assert (reply.status, reply.json["error"]["code"]) == (421, "foreign_host")
