"""A Bot API server on loopback: it keeps chats and messages, follows Telegram's rules, and breaks where a test says so.

Ids count as Telegram's do: with one counter for all private chats and basic groups, and one for each supergroup.
"""

import asyncio
import html
import json
import re
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import count
from pathlib import Path
from typing import Any, Self

from aiohttp import web

TOKEN = "123456:secret-of-the-test-bot"
BOT = {"id": 999, "is_bot": True, "first_name": "Wakeful", "username": "wakeful_bot"}
ANN = {"id": 7, "is_bot": False, "first_name": "Ann", "last_name": "Lee"}

_TAGS = {"b", "i", "u", "s", "a", "code", "pre", "blockquote"}
_TAG = re.compile(r"<(/?)([a-z]*)[^<>]*>|<|&(?!(?:lt|gt|amp|quot|#\d+);)")


class Trouble(StrEnum):
    # The connection ends before the request is acted on, or after.
    CUT_BEFORE = "cut_before"
    CUT_AFTER = "cut_after"
    # Answered without being acted on.
    LIMITED = "limited"
    BROKEN = "broken"
    UNREADABLE = "unreadable"
    # Acted on, and never answered.
    SILENT = "silent"
    # Acted on once the gate of the server is opened.
    SLOW = "slow"


@dataclass
class ChatRoom:
    id: int
    type: str
    title: str = ""
    topics: set[int] = field(default_factory=set)
    messages: dict[int, dict[str, Any]] = field(default_factory=dict)
    # Why the bot may not write there.
    refusal: str = ""
    migrated_to: int | None = None

    @property
    def form(self) -> dict[str, Any]:
        return {"id": self.id, "type": self.type, **({"title": self.title} if self.title else {})}

    @property
    def said(self) -> list[str]:
        """The words of the bot."""
        return [message["text"] for message in self.messages.values() if message["from"]["id"] == BOT["id"]]


class Refusal(Exception):
    def __init__(self, code: int, description: str, **parameters: Any) -> None:
        super().__init__(description)
        self.body = {"ok": False, "error_code": code, "description": description, "parameters": parameters}


class TelegramServer:
    def __init__(self) -> None:
        self.chats: dict[int, ChatRoom] = {}
        self.updates: dict[int, dict[str, Any]] = {}
        self.confirmed = 0
        self.webhook: dict[str, Any] = {}
        self.commands: list[dict[str, str]] = []
        self.answers: dict[str, str] = {}
        # By their ids; a path is that of a file on this machine, as servers in local mode have it.
        self.files: dict[str, bytes | Path] = {}
        self.token = TOKEN
        self.bot: dict[str, Any] = dict(BOT)
        # What the next requests of a method meet, in order.
        self.troubles: defaultdict[str, list[Trouble]] = defaultdict(list)
        self.retry_after: float = 3
        self.gate = asyncio.Event()
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.changed = asyncio.Condition()
        self._update_ids = count(5000)
        self._last_ids: defaultdict[int, int] = defaultdict(lambda: 100)
        self._poll = 0
        self._runner: web.AppRunner | None = None
        self.url = ""

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_post("/bot{token}/{method}", self._answer)
        app.router.add_get("/file/bot{token}/{path:.*}", self._send_file)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *error: object) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    # What people do.

    def chat(self, chat_id: int, **details: Any) -> ChatRoom:
        if chat_id not in self.chats:
            is_group = chat_id < 0
            kind = "supergroup" if chat_id < -(10**12) else "group" if is_group else "private"
            title = "The group" if is_group else ""
            self.chats[chat_id] = ChatRoom(chat_id, kind, **{"title": title, **details})
        return self.chats[chat_id]

    async def write(self, chat_id: int, text: str = "", *, by: Mapping[str, Any] = ANN, **parts: Any) -> int:
        """Let a person write a message, and return its id. `parts` are fields of the message."""
        chat = self.chat(chat_id)
        message = {"message_id": self._next_id(chat), "chat": chat.form, "from": dict(by), **parts}
        chat.messages[message["message_id"]] = {"text": text, **message}
        await self.update(message=message | ({"text": text} if text else {}))
        return int(message["message_id"])

    async def press(self, chat_id: int, message_id: int, data: str, *, query: str = "q1") -> None:
        message = self.chat(chat_id).messages[message_id]
        await self.update(callback_query={"id": query, "from": ANN, "message": message, "data": data})

    async def update(self, **content: Any) -> int:
        update_id = next(self._update_ids)
        self.updates[update_id] = {"update_id": update_id, **content}
        await self.changes()
        return update_id

    async def until(self, condition: Callable[[], object]) -> None:
        async with self.changed:
            await self.changed.wait_for(condition)

    async def changes(self) -> None:
        async with self.changed:
            self.changed.notify_all()

    def called(self, method: str) -> list[dict[str, Any]]:
        return [params for name, params in self.requests if name == method]

    # Requests.

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        if request.match_info["token"] != self.token:
            return _json({"ok": False, "error_code": 401, "description": "Unauthorized"}, 401)
        params = await _params(request)
        self.requests.append((method, params))
        trouble = self.troubles[method].pop(0) if self.troubles[method] else None
        await self.changes()
        if trouble is Trouble.SLOW:
            await self.gate.wait()
        elif trouble is Trouble.LIMITED:
            return _json(Refusal(429, "Too Many Requests", retry_after=self.retry_after).body, 429)
        elif trouble is Trouble.BROKEN:
            return web.Response(status=502, text="<html>Bad Gateway</html>")
        elif trouble is Trouble.UNREADABLE:
            return web.Response(text="<html>Welcome</html>")
        elif trouble is Trouble.CUT_BEFORE:
            return _cut(request)
        try:
            body = {"ok": True, "result": await self._act(method, params)}
        except Refusal as refusal:
            body = refusal.body
        await self.changes()
        if trouble is Trouble.SILENT:
            await asyncio.Event().wait()
        return _cut(request) if trouble is Trouble.CUT_AFTER else _json(body, body.get("error_code", 200))

    async def _act(self, method: str, params: dict[str, Any]) -> Any:
        acts: dict[str, Callable[[dict[str, Any]], Awaitable[Any]]] = {
            "getMe": self._get_me,
            "getUpdates": self._get_updates,
            "getWebhookInfo": self._get_webhook,
            "setWebhook": self._set_webhook,
            "deleteWebhook": self._delete_webhook,
            "setMyCommands": self._set_commands,
            "sendMessage": self._send_message,
            "sendDocument": self._send_document,
            "editMessageText": self._edit,
            "editMessageCaption": self._edit,
            "editMessageReplyMarkup": self._edit,
            "sendChatAction": self._show_action,
            "answerCallbackQuery": self._answer_query,
            "getFile": self._get_file,
        }
        if method not in acts:
            raise Refusal(404, "Not Found: method not found")
        return await acts[method](params)

    async def _get_me(self, _: dict[str, Any]) -> Any:
        return self.bot

    async def _get_updates(self, params: dict[str, Any]) -> Any:
        if self.webhook.get("url"):
            raise Refusal(409, "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook")
        self._poll += 1
        mine = self._poll
        await self.changes()
        self.confirmed = max(self.confirmed, params.get("offset", 0))
        for update_id in [known for known in self.updates if known < self.confirmed]:
            del self.updates[update_id]
        if params.get("timeout") and not self.updates:
            await self.until(lambda: self.updates or self._poll != mine)
        if self._poll != mine:
            raise Refusal(409, "Conflict: terminated by other getUpdates request; make sure that only one bot runs")
        return list(self.updates.values())[: params.get("limit", 100)]

    async def _get_webhook(self, _: dict[str, Any]) -> Any:
        return {"url": "", **self.webhook}

    async def _set_webhook(self, params: dict[str, Any]) -> Any:
        if not params["url"].startswith("https://"):
            raise Refusal(400, "Bad Request: bad webhook: An HTTPS URL must be provided for webhook")
        self.webhook = params
        return True

    async def _delete_webhook(self, _: dict[str, Any]) -> Any:
        self.webhook = {}
        return True

    async def _set_commands(self, params: dict[str, Any]) -> Any:
        self.commands = params["commands"]
        return True

    async def _send_message(self, params: dict[str, Any]) -> Any:
        chat = self._writable(params)
        text = _parsed(params["text"], params, 4096, "message is too long")
        return self._add(chat, params, text=text)

    async def _send_document(self, params: dict[str, Any]) -> Any:
        chat = self._writable(params)
        caption = _parsed(params["caption"], params, 1024, "message caption is too long") if "caption" in params else ""
        return self._add(chat, params, text=caption, document=params["document"])

    def _writable(self, params: dict[str, Any]) -> ChatRoom:
        chat = self.chats.get(params["chat_id"])
        if chat is None:
            raise Refusal(400, "Bad Request: chat not found")
        if chat.refusal:
            raise Refusal(403, f"Forbidden: {chat.refusal}")
        if chat.migrated_to is not None:
            description = "Bad Request: group chat was upgraded to a supergroup chat"
            raise Refusal(400, description, migrate_to_chat_id=chat.migrated_to)
        if (topic := params.get("message_thread_id")) is not None and topic not in chat.topics:
            raise Refusal(400, "Bad Request: message thread not found")
        return chat

    def _add(self, chat: ChatRoom, params: dict[str, Any], **content: Any) -> Any:
        reply = params.get("reply_parameters", {})
        if reply and reply["message_id"] not in chat.messages:
            if not reply.get("allow_sending_without_reply"):
                raise Refusal(400, "Bad Request: message to be replied not found")
            reply = {}
        message_id = self._next_id(chat)
        chat.messages[message_id] = {
            "message_id": message_id,
            "chat": chat.form,
            "from": BOT,
            "reply_to": reply.get("message_id"),
            "topic": params.get("message_thread_id"),
            "reply_markup": params.get("reply_markup"),
            **content,
        }
        return _shown(chat.messages[message_id])

    async def _edit(self, params: dict[str, Any]) -> Any:
        message = self._writable(params).messages.get(params["message_id"])
        if message is None:
            raise Refusal(400, "Bad Request: message to edit not found")
        if message["from"] != BOT:
            raise Refusal(400, "Bad Request: message can't be edited")
        if "text" in params and "document" in message:
            raise Refusal(400, "Bad Request: there is no text in the message to edit")
        words = params.get("text", params.get("caption"))
        text = message["text"] if words is None else _parsed(words, params, 4096, "message is too long")
        changes = {"text": text, "reply_markup": params.get("reply_markup")}
        if all(message[name] == value for name, value in changes.items()):
            raise Refusal(400, "Bad Request: message is not modified: new content and markup are the same")
        message.update(changes)
        return _shown(message)

    async def _show_action(self, params: dict[str, Any]) -> Any:
        self._writable(params)
        return True

    async def _answer_query(self, params: dict[str, Any]) -> Any:
        self.answers[params["callback_query_id"]] = params["text"]
        return True

    async def _get_file(self, params: dict[str, Any]) -> Any:
        file = self.files.get(params["file_id"])
        if file is None:
            raise Refusal(400, "Bad Request: file is too big")
        path = str(file) if isinstance(file, Path) else f"documents/{params['file_id']}"
        return {"file_id": params["file_id"], "file_path": path}

    async def _send_file(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["path"].removeprefix("documents/")
        content = self.files.get(name)
        if request.match_info["token"] != self.token or not isinstance(content, bytes):
            return _json({"ok": False, "error_code": 404, "description": "Not Found"}, 404)
        return web.Response(body=content)

    def _next_id(self, chat: ChatRoom) -> int:
        counter = chat.id if chat.type == "supergroup" else 0
        self._last_ids[counter] += 1
        return self._last_ids[counter]


def _shown(message: dict[str, Any]) -> dict[str, Any]:
    return {name: message[name] for name in ("message_id", "chat", "from", "text")}


async def _params(request: web.Request) -> dict[str, Any]:
    if not request.content_type.startswith("multipart/"):
        return dict(await request.json())
    params: dict[str, Any] = {}
    for name, value in (await request.post()).items():
        if isinstance(value, web.FileField):
            params[name] = (value.filename, value.file.read())
        else:
            params[name] = value if name == "caption" or name == "parse_mode" else json.loads(str(value))
    return params


def _parsed(text: str, params: dict[str, Any], limit: int, complaint: str) -> str:
    """Return the text that people see."""
    if params.get("parse_mode") == "HTML":
        text = _without_markup(text)
    if not text.strip():
        raise Refusal(400, "Bad Request: message text is empty")
    if len(text.encode("utf-16-le")) // 2 > limit:
        raise Refusal(400, f"Bad Request: {complaint}")
    return text


def _without_markup(markup: str) -> str:
    opened: list[str] = []
    for found in _TAG.finditer(markup):
        closing, tag = found[1], found[2]
        if tag not in _TAGS or (closing and (not opened or opened.pop() != tag)):
            raise Refusal(400, f'Bad Request: can\'t parse entities: Unsupported start tag "{tag}"')
        if not closing:
            opened.append(tag)
    if opened:
        raise Refusal(400, f"Bad Request: can't parse entities: Can't find end tag of \"{opened[-1]}\"")
    return html.unescape(re.sub(r"<[^<>]*>", "", markup))


def _json(body: dict[str, Any], status: int = 200) -> web.Response:
    return web.json_response(body, status=status)


def _cut(request: web.Request) -> web.Response:
    assert request.transport is not None
    request.transport.close()
    return web.Response()
