"""Discord on loopback: it keeps channels and messages, follows Discord's rules, and breaks where a test says so."""

import asyncio
import json
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import count
from typing import Any, Self

from aiohttp import web

from tests.patience import PATIENCE
from tests.platforms.discord_gateway import DiscordGateway

TOKEN = "secret-token-of-the-test-bot"
BOT_ID, APPLICATION_ID, GUILD_ID, ROLE_ID = "900", "901", "500", "600"
DM, TEXT, THREAD = 1, 0, 11
_EPOCH_MILLISECONDS = 1_420_070_400_000
_MESSAGE_CONTENT = 1 << 18
_MOST_FILE_BYTES = 10_000_000
_MEMBER: dict[str, Any] = {"roles": [], "joined_at": None, "deaf": False, "mute": False, "flags": 0}

Json = dict[str, Any]

_OWN_ROLE = {
    "id": ROLE_ID,
    "name": "Wakeful",
    "position": 1,
    "permissions": "0",
    "color": 0,
    "hoist": False,
    "flags": 0,
    "managed": True,
    "mentionable": False,
    "tags": {"bot_id": BOT_ID},
}


def user(id: str, name: str, **parts: Any) -> Json:
    return {"id": id, "username": name, "discriminator": "0", "global_name": name, "avatar": None, **parts}


BOT = user(BOT_ID, "Wakeful", bot=True)
ANN = user("7", "Ann")
BEN = user("8", "Ben")


class Trouble(StrEnum):
    # The connection ends before the request is acted on, or after.
    CUT_BEFORE = "cut_before"
    CUT_AFTER = "cut_after"
    # Answered without being acted on.
    LIMITED = "limited"
    BANNED = "banned"
    UNAVAILABLE = "unavailable"
    UNREADABLE = "unreadable"
    # discord.py repeats these by itself: acted on before, or not.
    BAD_GATEWAY = "bad_gateway"
    BAD_GATEWAY_AFTER = "bad_gateway_after"
    # Acted on, and never answered.
    SILENT = "silent"
    # Acted on once the gate of the server is opened.
    SLOW = "slow"


# Messages of people, replies among them: Discord's own cannot be replied to.
_ANSWERABLE = frozenset({0, 19})
_AFTERWARDS = frozenset({Trouble.CUT_AFTER, Trouble.BAD_GATEWAY_AFTER, Trouble.SILENT})


@dataclass
class Room:
    id: str
    type: int
    name: str = ""
    parent_id: str | None = None
    messages: dict[int, Json] = field(default_factory=dict)
    is_forbidden: bool = False
    # Whether the bot hears of it before it asks.
    is_listed: bool = True

    @property
    def form(self) -> Json:
        form: Json = {"id": self.id, "type": self.type, "name": self.name, "position": 0, "permission_overwrites": []}
        if self.type != DM:
            form["guild_id"] = GUILD_ID
        if self.parent_id is not None:
            meta = {"archived": False, "auto_archive_duration": 60, "archive_timestamp": "2026-11-16T00:00:00+00:00"}
            form |= {"parent_id": self.parent_id, "owner_id": ANN["id"], "thread_metadata": meta}
            form |= {"message_count": 0, "member_count": 1}
        return form

    @property
    def said(self) -> list[str]:
        """The words of the bot."""
        return [message["content"] for message in self.messages.values() if message["author"]["id"] == BOT_ID]


class Refusal(Exception):
    def __init__(self, status: int, code: int, message: str, **errors: str) -> None:
        super().__init__(message)
        self.status = status
        self.body: Json = {"code": code, "message": message}
        if errors:
            self.body["errors"] = {name: {"_errors": [{"code": "X", "message": text}]} for name, text in errors.items()}


class DiscordServer:
    def __init__(self) -> None:
        self.rooms: dict[str, Room] = {}
        self.nonces: dict[str, int] = {}
        self.commands: list[Json] = []
        # What interactions were answered, by their token, the late answer last.
        self.answers: defaultdict[str, list[Json]] = defaultdict(list)
        self.files: dict[str, bytes] = {}
        self.has_message_content = True
        self.starts_left = 1000
        # What the next requests meet, in order, by method and the last word of the path.
        self.troubles: defaultdict[str, list[Trouble]] = defaultdict(list)
        self.retry_after = 30.0
        self.is_global_limit = False
        # Go with every answer.
        self.headers: dict[str, str] = {}
        self.gate = asyncio.Event()
        self.requests: list[tuple[str, Json]] = []
        self.gateway = DiscordGateway(self._ready, self._first)
        self.gateway.token = TOKEN
        self.url = ""
        self._numbers = count()
        self._runner: web.AppRunner | None = None

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=20_000_000)
        app.router.add_get("/gateway", self.gateway.serve)
        app.router.add_get("/cdn/{name}", self._send_file)
        for method, path, handler in self._routes():
            app.router.add_route(method, f"/api/v10{path}", self._guarded(handler))
        self._runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        host = f"127.0.0.1:{self._runner.addresses[0][1]}"
        self.url, self.gateway.url = f"http://{host}/api/v10", f"ws://{host}/gateway"
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.stop()

    async def stop(self) -> None:
        runner, self._runner = self._runner, None
        self.gateway.cut()
        if runner is not None:
            await runner.cleanup()

    async def until(self, condition: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE), self.gateway.changed:
            await self.gateway.changed.wait_for(condition)

    # What people do.

    def room(self, id: str, type: int = TEXT, **details: Any) -> Room:
        return self.rooms.setdefault(id, Room(id, type, **{"name": f"room {id}", **details}))

    async def write(
        self, room_id: str, text: str = "", *, by: Mapping[str, Any] = ANN, at: float | None = None, **parts: Any
    ) -> str:
        """Let a person write a message, and return its id. `parts` are fields of the message."""
        room = self.rooms[room_id]
        message = self._new_message(room, by, {"content": text, **parts}, at)
        event = dict(message)
        if room.type != DM:
            event |= {"guild_id": GUILD_ID, "member": _MEMBER}
        await self.gateway.dispatch("MESSAGE_CREATE", event)
        return str(message["id"])

    async def press(self, room_id: str, message_id: str, custom_id: str, *, by: Mapping[str, Any] = ANN) -> str:
        """Let a person press a button, and return the token under which the answer is kept."""
        message = self.rooms[room_id].messages[int(message_id)]
        data = {"custom_id": custom_id, "component_type": 2}
        return await self._interact(room_id, by, 3, data, message=message)

    async def call_command(self, room_id: str, name: str, *values: str, by: Mapping[str, Any] = ANN) -> str:
        options = [{"type": 3, "name": f"option{n}", "value": value} for n, value in enumerate(values)]
        return await self._interact(room_id, by, 2, {"id": "77", "type": 1, "name": name, "options": options})

    async def _interact(self, room_id: str, by: Mapping[str, Any], type: int, data: Json, **parts: Any) -> str:
        room, id = self.rooms[room_id], str(self._snowflake())
        who: Json = {"user": dict(by)}
        if room.type != DM:
            member = {**_MEMBER, "user": dict(by), "permissions": "0"}
            who = {"member": member, "guild_id": GUILD_ID}
        event = {"id": id, "application_id": APPLICATION_ID, "type": type, "data": data, "token": f"token-{id}"}
        event |= {"version": 1, "channel_id": room_id, "channel": room.form, "attachment_size_limit": _MOST_FILE_BYTES}
        await self.gateway.dispatch("INTERACTION_CREATE", event | who | parts)
        return f"token-{id}"

    def attachment(self, name: str, content: bytes) -> Json:
        self.files[name] = content
        url = f"{self.url.removesuffix('/api/v10')}/cdn/{name}"
        return {"id": str(self._snowflake()), "filename": name, "size": len(content), "url": url, "proxy_url": url}

    # What Discord does.

    def _routes(self) -> Sequence[tuple[str, str, Callable[[web.Request, Json], Awaitable[Any]]]]:
        return [
            ("GET", "/users/@me", self._who_am_i),
            ("GET", "/oauth2/applications/@me", self._application),
            ("GET", "/gateway/bot", self._gateway_address),
            ("PUT", "/applications/{id}/commands", self._register),
            ("GET", "/channels/{room}", self._show_room),
            ("GET", "/channels/{room}/messages", self._list),
            ("POST", "/channels/{room}/messages", self._post),
            ("PATCH", "/channels/{room}/messages/{message}", self._edit),
            ("POST", "/channels/{room}/typing", self._type),
            ("POST", "/interactions/{id}/{token}/callback", self._answer_interaction),
            ("PATCH", "/webhooks/{id}/{token}/messages/@original", self._answer_interaction),
        ]

    def _guarded(self, handler: Callable[[web.Request, Json], Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def serve(request: web.Request) -> web.StreamResponse:
            body = await _body(request)
            self.requests.append((f"{request.method} {request.path.removeprefix('/api/v10')}", body))
            await self.gateway.tell()
            trouble = self._next_trouble(request)
            if trouble is Trouble.SLOW:
                await self.gate.wait()
            elif trouble is not None and trouble not in _AFTERWARDS:
                return await self._break(request, trouble)
            answer = await self._serve(request, handler, body)
            await self.gateway.tell()
            return await self._break(request, trouble) if trouble in _AFTERWARDS else answer

        return serve

    def _next_trouble(self, request: web.Request) -> Trouble | None:
        words = request.path.split("/")
        name = next(word for word in reversed(words) if word.isalpha())
        waiting = self.troubles[f"{request.method} {name}"]
        return waiting.pop(0) if waiting else None

    async def _serve(
        self, request: web.Request, handler: Callable[[web.Request, Json], Awaitable[Any]], body: Json
    ) -> web.Response:
        try:
            is_open = "token" in request.match_info
            if not is_open and request.headers.get("Authorization") != f"Bot {self.gateway.token}":
                raise Refusal(401, 0, "401: Unauthorized")
            answer = await handler(request, body)
        except Refusal as refusal:
            return _json(refusal.body, refusal.status)
        return web.Response(status=204) if answer is None else _json(answer, headers=self.headers)

    async def _break(self, request: web.Request, trouble: Trouble | None) -> web.Response:
        match trouble:
            case Trouble.LIMITED:
                body = {"message": "You are being rate limited.", "retry_after": self.retry_after}
                body["global"] = self.is_global_limit
                return _json(body, 429, {"Via": "1.1 google", "Retry-After": str(self.retry_after)})
            case Trouble.BANNED:
                return web.Response(status=429, text="error code: 1015", headers={"Retry-After": "17"})
            case Trouble.UNREADABLE:
                return web.Response(text="<html>Welcome</html>", content_type="text/html")
            case Trouble.UNAVAILABLE:
                return web.Response(status=503, text="upstream connect error")
            case Trouble.BAD_GATEWAY | Trouble.BAD_GATEWAY_AFTER:
                return web.Response(status=502, text="<html>bad gateway</html>")
            case Trouble.SILENT:
                await asyncio.Event().wait()
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    async def _who_am_i(self, request: web.Request, body: Json) -> Json:
        return BOT

    async def _application(self, request: web.Request, body: Json) -> Json:
        flags = _MESSAGE_CONTENT if self.has_message_content else 0
        about = {"name": "Wakeful", "description": "", "icon": None, "bot_public": False, "verify_key": ""}
        return about | {"id": APPLICATION_ID, "bot_require_code_grant": False, "owner": ANN, "flags": flags}

    async def _gateway_address(self, request: web.Request, body: Json) -> Json:
        limit = {"total": 1000, "remaining": self.starts_left, "reset_after": 3_600_000, "max_concurrency": 1}
        return {"url": self.gateway.url, "shards": 1, "session_start_limit": limit}

    async def _register(self, request: web.Request, body: Any) -> list[Json]:
        self.commands = body
        return self.commands

    async def _show_room(self, request: web.Request, body: Json) -> Json:
        return self._room(request).form

    async def _list(self, request: web.Request, body: Json) -> list[Json]:
        after, limit = int(request.query.get("after", 0)), int(request.query.get("limit", 50))
        later = sorted(id for id in self._room(request).messages if id > after)
        return [self._room(request).messages[id] for id in reversed(later[:limit])]

    async def _post(self, request: web.Request, body: Json) -> Json:
        room = self._room(request)
        nonce = body.get("nonce", "")
        if len(nonce) > 25:
            raise Refusal(400, 50035, "Invalid Form Body", nonce="Must be 25 or fewer in length.")
        if body.get("enforce_nonce") and nonce in self.nonces:
            return room.messages[self.nonces[nonce]]
        _check_content(body)
        reference = body.pop("message_reference", None)
        if reference is not None and (found := room.messages.get(int(reference["message_id"]))) is not None:
            if found["type"] not in _ANSWERABLE:
                raise Refusal(400, 50035, "Invalid Form Body", message_reference="Cannot reply to a system message")
            body["message_reference"] = {"message_id": reference["message_id"], "channel_id": room.id}
        elif reference is not None and reference.get("fail_if_not_exists", True):
            raise Refusal(400, 50035, "Invalid Form Body", message_reference="Unknown message")
        message = self._new_message(room, BOT, body, None)
        self.nonces[nonce] = int(message["id"])
        return message

    async def _edit(self, request: web.Request, body: Json) -> Json:
        message = self._room(request).messages.get(int(request.match_info["message"]))
        if message is None:
            raise Refusal(404, 10008, "Unknown Message")
        _check_content(message | body)
        message |= body
        return message

    async def _type(self, request: web.Request, body: Json) -> None:
        self._room(request)

    async def _answer_interaction(self, request: web.Request, body: Json) -> None:
        self.answers[request.match_info["token"]].append(body)

    def _room(self, request: web.Request) -> Room:
        room = self.rooms.get(request.match_info["room"])
        if room is None:
            raise Refusal(404, 10003, "Unknown Channel")
        if room.is_forbidden:
            raise Refusal(403, 50001, "Missing Access")
        return room

    def _new_message(self, room: Room, by: Mapping[str, Any], parts: Json, at: float | None) -> Json:
        id = self._snowflake(at)
        message = {"id": str(id), "channel_id": room.id, "author": dict(by), "type": 0, "mentions": [], "embeds": []}
        message |= {"timestamp": "2026-11-16T00:00:00+00:00", "edited_timestamp": None, "tts": False, "pinned": False}
        message |= {"mention_everyone": False, "mention_roles": [], "attachments": []}
        room.messages[id] = message | parts
        return room.messages[id]

    def _snowflake(self, at: float | None = None) -> int:
        milliseconds = round((time.time() if at is None else at) * 1000) - _EPOCH_MILLISECONDS
        return (milliseconds << 22) | next(self._numbers)

    def _ready(self) -> Json:
        application = {"id": APPLICATION_ID, "flags": _MESSAGE_CONTENT}
        return {"v": 10, "user": BOT, "guilds": [{"id": GUILD_ID, "unavailable": True}], "application": application}

    def _first(self) -> list[tuple[str, Json]]:
        rooms = [room for room in self.rooms.values() if room.is_listed and room.type != DM]
        guild = {
            "id": GUILD_ID,
            "name": "The guild",
            "roles": [_OWN_ROLE],
            "channels": [room.form for room in rooms if room.type != THREAD],
            "threads": [room.form for room in rooms if room.type == THREAD],
        }
        return [("GUILD_CREATE", guild)]

    async def _send_file(self, request: web.Request) -> web.Response:
        content = self.files.get(request.match_info["name"])
        return web.Response(status=404) if content is None else web.Response(body=content)


async def _body(request: web.Request) -> Any:
    if not request.content_type.startswith("multipart/"):
        text = await request.text()
        return json.loads(text) if text else {}
    body: Json = {}
    async for part in await request.multipart():
        if getattr(part, "name", None) == "payload_json":
            body |= json.loads(await part.text())  # type: ignore[union-attr]
        else:
            content = await part.read()  # type: ignore[union-attr]
            about = {"id": "1", "filename": part.filename, "size": len(content)}  # type: ignore[union-attr]
            body["attachments"] = [about | {"url": "http://x/", "proxy_url": "http://x/"}]
    return body


def _check_content(body: Json) -> None:
    content = body.get("content", "")
    if len(content) > 2000:
        raise Refusal(400, 50035, "Invalid Form Body", content="Must be 2000 or fewer in length.")
    if not content and not body.get("attachments"):
        raise Refusal(400, 50006, "Cannot send an empty message")
    if any(file["size"] > _MOST_FILE_BYTES for file in body.get("attachments", ())):
        raise Refusal(413, 40005, "Request entity too large")


def _json(body: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    # discord.py reads an answer as JSON only if its type is this, without a character set.
    return web.Response(
        body=json.dumps(body).encode(), status=status, headers={"Content-Type": "application/json", **(headers or {})}
    )
