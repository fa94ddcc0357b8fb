"""Slack on loopback: its Web API and Socket Mode, with the rules that they enforce and the faults that they have."""

import asyncio
import json
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import count
from typing import Any, Self

from aiohttp import WSMsgType, web

from tests.patience import PATIENCE

BOT_TOKEN = "xoxb-secret-of-the-test-bot"
APP_TOKEN = "xapp-secret-of-the-test-app"
BOT = "UBOT"
ANN = "UANN"
NAMES = {ANN: "Ann Lee", "UBEN": "Ben", BOT: "wakeful"}
# Methods that a browser form cannot express, and that therefore take JSON.
_JSON_METHODS = ("chat.postMessage", "chat.update", "chat.postEphemeral")


class Trouble(StrEnum):
    # The connection ends before the request is acted on, or after.
    CUT_BEFORE = "cut_before"
    CUT_AFTER = "cut_after"
    # Answered without being acted on.
    LIMITED = "limited"
    BROKEN = "broken"
    UNREADABLE = "unreadable"
    # Acted on, with an answer that says otherwise.
    FATAL = "fatal"
    # Acted on, and never answered.
    SILENT = "silent"
    # Acted on once the gate of the server is opened.
    SLOW = "slow"


@dataclass
class Channel:
    id: str
    name: str = ""
    # Why the bot may not write there.
    refusal: str = ""
    messages: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def is_direct(self) -> bool:
        return self.id.startswith("D")

    @property
    def said(self) -> list[dict[str, Any]]:
        """The messages of the bot."""
        return [message for message in self.messages.values() if message["user"] == BOT]


class Refusal(Exception):
    def __init__(self, error: str) -> None:
        super().__init__(error)
        self.body = {"ok": False, "error": error}


class SlackServer:
    def __init__(self) -> None:
        self.channels: dict[str, Channel] = {}
        self.files: dict[str, dict[str, Any]] = {}
        # channel and ts to the names of reactions.
        self.reactions: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        # What was said to one person alone.
        self.whispers: list[dict[str, Any]] = []
        self.bot_token, self.app_token = BOT_TOKEN, APP_TOKEN
        self.scopes = "chat:write"
        # What the next requests of a method meet, in order.
        self.troubles: defaultdict[str, list[Trouble]] = defaultdict(list)
        self.retry_after = 3.0
        self.longest = 4000
        self.gate = asyncio.Event()
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.lines: list[web.WebSocketResponse] = []
        # What was sent and is not acknowledged, by its envelope; and those that are.
        self.unacknowledged: dict[str, dict[str, Any]] = {}
        self.acknowledged: list[str] = []
        self._changed = asyncio.Condition()
        self._numbers = count(1)
        self._start = int(time.time()) - 1000
        self._runner: web.AppRunner | None = None
        self.root = ""

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_route("*", "/api/{method}", self._answer)
        app.router.add_get("/link", self._connect)
        app.router.add_post("/upload/{file}", self._take_bytes)
        app.router.add_post("/response", self._whisper)
        app.router.add_get("/files/{file}", self._hand_out)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.root = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *error: object) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    # What people do.

    def channel(self, channel_id: str, **details: Any) -> Channel:
        name = "" if channel_id.startswith("D") else f"name-of-{channel_id}"
        return self.channels.setdefault(channel_id, Channel(channel_id, **{"name": name, **details}))

    async def write(self, channel_id: str, text: str, *, by: str = ANN, **parts: Any) -> str:
        """Let somebody write a message, and return its ts. `parts` are fields of the message."""
        channel = self.channel(channel_id)
        message = {"type": "message", "user": by, "text": text, "ts": self.next_ts(), **parts}
        if (root := channel.messages.get(str(parts.get("thread_ts")))) is not None:
            message["parent_user_id"] = root["user"]
            root["latest_reply"] = message["ts"]
            root["thread_ts"] = root["ts"]
        channel.messages[message["ts"]] = message
        await self.event(**message, channel=channel_id, channel_type="im" if channel.is_direct else "channel")
        if f"<@{BOT}>" in text and not channel.is_direct:
            await self.event(**message | {"type": "app_mention"}, channel=channel_id)
        return str(message["ts"])

    async def event(self, **event: Any) -> str:
        return await self.send("events_api", {"type": "event_callback", "event": event})

    async def command(self, channel_id: str, text: str, *, by: str = ANN) -> str:
        payload = {"command": "/wakeful", "text": text, "user_id": by, "channel_id": channel_id, "trigger_id": "1.2.3"}
        return await self.send("slash_commands", payload)

    async def press(self, channel_id: str, ts: str, value: str, *, by: str = ANN, has_url: bool = True) -> str:
        payload: dict[str, Any] = {
            "type": "block_actions",
            "user": {"id": by, "username": "ann"},
            "channel": {"id": channel_id, "name": "name"},
            "message": self.channel(channel_id).messages[ts],
            "actions": [{"type": "button", "action_id": value, "value": value}],
        }
        if has_url:
            payload["response_url"] = f"{self.root}/response"
        return await self.send("interactive", payload)

    async def send(self, type: str, payload: dict[str, Any]) -> str:
        """Send an envelope, if anybody is connected: what happens otherwise, Slack does not send later."""
        envelope_id = f"E{next(self._numbers)}"
        envelope = {"envelope_id": envelope_id, "type": type, "payload": payload}
        if self.lines:
            self.unacknowledged[envelope_id] = envelope
            await self._put_on_line(envelope)
        return envelope_id

    async def send_again(self) -> None:
        """Slack waits some seconds before it does so."""
        for envelope in list(self.unacknowledged.values()):
            await self._put_on_line(envelope | {"retry_attempt": 1, "retry_reason": "timeout"})

    async def _put_on_line(self, frame: dict[str, Any]) -> None:
        # A line may have been cut a moment ago.
        with suppress(ConnectionError, IndexError):
            await self.lines[-1].send_json(frame)

    async def disconnect(self, reason: str) -> None:
        await self._put_on_line({"type": "disconnect", "reason": reason})

    async def cut(self) -> None:
        """Let all connections end without a word."""
        for line in self.lines:
            if line._req is not None and line._req.transport is not None:
                line._req.transport.abort()

    async def until(self, condition: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE), self._changed:
            await self._changed.wait_for(condition)

    def called(self, method: str) -> list[dict[str, Any]]:
        return [params for name, params in self.requests if name == method]

    def next_ts(self) -> str:
        return f"{self._start}.{next(self._numbers):06d}"

    def put_file(self, name: str, content: bytes, **details: Any) -> dict[str, Any]:
        """Return a file as it stands in a message."""
        file_id = f"F{next(self._numbers)}"
        file = {"id": file_id, "name": name, "size": len(content), "url_private": f"{self.root}/files/{file_id}"}
        self.files[file_id] = file | {"content": content} | details
        return file | details

    # Socket Mode.

    async def _connect(self, request: web.Request) -> web.StreamResponse:
        if request.query.get("ticket") != "secret":
            return web.Response(status=403)
        line = web.WebSocketResponse()
        await line.prepare(request)
        await line.send_json({"type": "hello", "num_connections": len(self.lines) + 1})
        self.lines.append(line)
        await self._changes()
        async for frame in line:
            if frame.type is WSMsgType.TEXT:
                envelope_id = json.loads(frame.data)["envelope_id"]
                self.unacknowledged.pop(envelope_id, None)
                self.acknowledged.append(envelope_id)
                await self._changes()
        self.lines.remove(line)
        await self._changes()
        return line

    # The Web API.

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        params = await _params(request, method)
        self.requests.append((method, params))
        trouble = self.troubles[method].pop(0) if self.troubles[method] else None
        await self._changes()
        match trouble:
            case Trouble.SLOW:
                await self.gate.wait()
            case Trouble.LIMITED:
                headers = {"Retry-After": str(self.retry_after)}
                return web.json_response(Refusal("ratelimited").body, status=429, headers=headers)
            case Trouble.BROKEN:
                return web.Response(status=503, text="upstream connect error")
            case Trouble.UNREADABLE:
                return web.Response(text="<html>Welcome</html>", content_type="text/html")
            case Trouble.CUT_BEFORE:
                return _cut(request)
        try:
            body = {"ok": True, **self._act(method, params, request.headers.get("Authorization", ""))}
        except Refusal as refusal:
            body = refusal.body
        await self._changes()
        if trouble is Trouble.SILENT:
            await asyncio.Event().wait()
        if trouble is Trouble.FATAL:
            return web.json_response(Refusal("fatal_error").body)
        if trouble is Trouble.CUT_AFTER:
            return _cut(request)
        return web.json_response(body, headers={"x-oauth-scopes": self.scopes})

    def _act(self, method: str, params: dict[str, Any], authorization: str) -> dict[str, Any]:
        acts: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "auth.test": lambda _: {"user_id": BOT, "user": "wakeful", "bot_id": "BBOT", "team": "Test"},
            "apps.connections.open": lambda _: {"url": f"{self.root.replace('http', 'ws')}/link?ticket=secret"},
            "users.info": self._user,
            "conversations.info": lambda params: {
                "channel": {"id": params["channel"], "name": self._known(params).name}
            },
            "conversations.history": self._history,
            "conversations.replies": self._replies,
            "chat.postMessage": self._post,
            "chat.update": self._update,
            "chat.postEphemeral": self._post_whisper,
            "reactions.add": self._react,
            "reactions.remove": self._unreact,
            "files.getUploadURLExternal": self._open_upload,
            "files.completeUploadExternal": self._complete_upload,
            "files.info": lambda params: {"file": _without_content(self.files[params["file"]])},
        }
        token = self.app_token if method == "apps.connections.open" else self.bot_token
        if authorization != f"Bearer {token}":
            raise Refusal("invalid_auth")
        if method not in acts:
            raise Refusal("unknown_method")
        return acts[method](params)

    def _user(self, params: dict[str, Any]) -> dict[str, Any]:
        if params["user"] not in NAMES:
            raise Refusal("user_not_found")
        name = NAMES[params["user"]]
        return {"user": {"id": params["user"], "name": name.lower(), "profile": {"display_name": name}}}

    def _history(self, params: dict[str, Any]) -> dict[str, Any]:
        messages = self._known(params).messages.values()
        top = [one for one in messages if one.get("thread_ts", one["ts"]) == one["ts"]]
        # The newest first.
        return _page(_after(top, params)[::-1], params)

    def _replies(self, params: dict[str, Any]) -> dict[str, Any]:
        messages = self._known(params).messages
        if params["ts"] not in messages:
            raise Refusal("thread_not_found")
        replies = [one for one in messages.values() if one.get("thread_ts") == params["ts"] != one["ts"]]
        return _page([messages[params["ts"]], *_after(replies, params)], params)

    def _post(self, params: dict[str, Any]) -> dict[str, Any]:
        channel = self._writable(params["channel"], params.get("thread_ts"))
        self._check_form(params)
        ts = f"{time.time():.6f}" if not channel.messages else self._later(channel)
        kept = {name: params[name] for name in ("text", "thread_ts", "blocks", "metadata") if params.get(name)}
        channel.messages[ts] = {"type": "message", "ts": ts, "user": BOT, "bot_id": "BBOT", **kept}
        return {"ts": ts, "channel": channel.id}

    def _later(self, channel: Channel) -> str:
        newest = max(float(ts) for ts in channel.messages)
        return f"{max(time.time(), newest + 0.001):.6f}"

    def _update(self, params: dict[str, Any]) -> dict[str, Any]:
        message = self._writable(params["channel"]).messages.get(params["ts"])
        if message is None:
            raise Refusal("message_not_found")
        if message["user"] != BOT:
            raise Refusal("cant_update_message")
        self._check_form(params)
        message.update({name: params[name] for name in ("text", "blocks", "metadata") if name in params})
        return {"ts": params["ts"]}

    def _check_form(self, params: dict[str, Any]) -> None:
        if not params.get("text", "").strip():
            raise Refusal("no_text")
        if len(params["text"]) > self.longest:
            raise Refusal("msg_too_long")
        blocks = params.get("blocks", [])
        if any(len(block["text"]["text"]) > 3000 for block in blocks if block["type"] == "section"):
            raise Refusal("invalid_blocks")
        buttons = [one for block in blocks if block["type"] == "actions" for one in block["elements"]]
        if len({button["action_id"] for button in buttons}) != len(buttons):
            raise Refusal("invalid_blocks")

    def _post_whisper(self, params: dict[str, Any]) -> dict[str, Any]:
        self._writable(params["channel"])
        self.whispers.append(params)
        return {}

    async def _whisper(self, request: web.Request) -> web.Response:
        self.whispers.append(await request.json())
        await self._changes()
        return web.Response(text="ok")

    def _react(self, params: dict[str, Any]) -> dict[str, Any]:
        reactions = self._reactions(params)
        if params["name"] in reactions:
            raise Refusal("already_reacted")
        reactions.add(params["name"])
        return {}

    def _unreact(self, params: dict[str, Any]) -> dict[str, Any]:
        reactions = self._reactions(params)
        if params["name"] not in reactions:
            raise Refusal("no_reaction")
        reactions.discard(params["name"])
        return {}

    def _reactions(self, params: dict[str, Any]) -> set[str]:
        if params["timestamp"] not in self._known(params).messages:
            raise Refusal("message_not_found")
        return self.reactions[params["channel"], params["timestamp"]]

    # Files.

    def _open_upload(self, params: dict[str, Any]) -> dict[str, Any]:
        if int(params["length"]) <= 0:
            raise Refusal("invalid_arguments")
        file = self.put_file(params["filename"], b"", size=int(params["length"]), user=BOT)
        return {"file_id": file["id"], "upload_url": f"{self.root}/upload/{file['id']}"}

    async def _take_bytes(self, request: web.Request) -> web.Response:
        self.files[request.match_info["file"]]["content"] = await request.read()
        return web.Response(text="OK")

    def _complete_upload(self, params: dict[str, Any]) -> dict[str, Any]:
        channel = self._writable(params["channel_id"], params.get("thread_ts"))
        file = self.files[json.loads(params["files"])[0]["id"]]
        if len(file["content"]) != file["size"]:
            raise Refusal("file_not_found")
        ts = self._post({"channel": channel.id, "text": params.get("initial_comment", "") or "-", **params})["ts"]
        channel.messages[ts] |= {"files": [_without_content(file)], "text": params.get("initial_comment", "")}
        file["shares"] = {"private": {channel.id: [{"ts": ts}]}}
        return {"files": [{"id": file["id"]}]}

    async def _hand_out(self, request: web.Request) -> web.Response:
        if request.headers.get("Authorization") != f"Bearer {self.bot_token}":
            return web.Response(status=302, headers={"Location": "/login"})
        return web.Response(body=self.files[request.match_info["file"]]["content"])

    def _known(self, params: dict[str, Any]) -> Channel:
        if params["channel"] not in self.channels:
            raise Refusal("channel_not_found")
        return self.channels[params["channel"]]

    def _writable(self, channel_id: str, thread_ts: str | None = None) -> Channel:
        channel = self._known({"channel": channel_id})
        if channel.refusal:
            raise Refusal(channel.refusal)
        if thread_ts and thread_ts not in channel.messages:
            raise Refusal("thread_not_found")
        return channel

    async def _changes(self) -> None:
        async with self._changed:
            self._changed.notify_all()


async def _params(request: web.Request, method: str) -> dict[str, Any]:
    if request.content_type == "application/json" and method in _JSON_METHODS:
        return dict(await request.json())
    return {**request.query, **{name: str(value) for name, value in (await request.post()).items()}}


def _after(messages: list[dict[str, Any]], params: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for one in messages if float(one["ts"]) > float(params.get("oldest", 0))]


def _page(messages: list[dict[str, Any]], params: dict[str, Any]) -> dict[str, Any]:
    """Metadata is shown to those who ask for it."""
    first, limit = int(params.get("cursor", 0)), int(params.get("limit", 100))
    page = [dict(message) for message in messages[first : first + limit]]
    if params.get("include_all_metadata") not in ("1", "true"):
        for message in page:
            message.pop("metadata", None)
    following = str(first + limit) if len(messages) > first + limit else ""
    return {"messages": page, "has_more": bool(following), "response_metadata": {"next_cursor": following}}


def _without_content(file: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in file.items() if name != "content"}


def _cut(request: web.Request) -> web.Response:
    assert request.transport is not None
    request.transport.close()
    return web.Response()
