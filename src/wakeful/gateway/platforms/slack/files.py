"""Files that the agent sends: first their bytes, which no message shows, then a message that shows them."""

import asyncio
from pathlib import Path
from typing import Any

import orjson

from wakeful.gateway.messaging.platform import LookedUp, Message, NotTaken, Refused, Unanswered, Whereabouts
from wakeful.gateway.platforms.slack.client import SlackClient
from wakeful.gateway.platforms.slack.search import ABSENT, SlackSearch
from wakeful.gateway.platforms.slack.wire import SlackMessage
from wakeful.model.messaging.post import Post


class SlackFiles:
    def __init__(self, client: SlackClient, search: SlackSearch) -> None:
        self._client = client
        self._search = search
        # Of posts that Slack was asked to show and that it has not answered yet: the id of the file.
        self._asked: dict[str, str] = {}

    async def send(self, post: Post, path: Path, message: Message, thread_id: str) -> str:
        """Return the id of the message, or of the file where Slack makes the message later."""
        file_id = await self._upload(path)
        self._asked[post.id] = file_id
        params = {
            "files": orjson.dumps([{"id": file_id, "title": path.name}]).decode(),
            "channel_id": post.address.chat_id,
            "initial_comment": message.text,
            "thread_ts": thread_id,
        }
        given = {name: value for name, value in params.items() if value}
        shown = await self._client.call_form("files.completeUploadExternal", **given)
        del self._asked[post.id]
        files: list[dict[str, Any]] = shown.get("files") or [{}]
        return _share(files[0], post.address.chat_id) or file_id

    async def find(self, post: Post, path: Path, bot_id: str) -> LookedUp:
        """Raises as `SlackClient.call` does."""
        file_id = self._asked.get(post.id)
        if file_id is not None:
            file: dict[str, Any] = (await self._client.call("files.info", file=file_id))["file"]
            found = _share(file, post.address.chat_id)
        else:
            # Another process has asked: its file has the same name, and came after the attempt.
            messages = await self._search.since_attempt(post)
            found = next((one.ts for one in messages if one.user == bot_id and _shows(one, path.name)), "")
        return LookedUp(Whereabouts.FOUND, found) if found else ABSENT

    async def _upload(self, path: Path) -> str:
        try:
            size = (await asyncio.to_thread(path.stat)).st_size
            place = await self._client.call("files.getUploadURLExternal", filename=path.name, length=size)
            await self._client.upload(place["upload_url"], path)
        except Unanswered as error:
            # Safe to repeat: Slack shows no file before it is posted.
            raise NotTaken(str(error)) from None
        except OSError as error:
            raise Refused(f"The file {path.name} cannot be read ({error.strerror}).") from None
        return str(place["file_id"])


def _share(file: dict[str, Any], channel: str) -> str:
    """Return the message that shows a file in a channel."""
    shares: dict[str, dict[str, list[dict[str, str]]]] = file.get("shares") or {}
    found = [share["ts"] for by_channel in shares.values() for share in by_channel.get(channel, [])]
    return found[0] if found else ""


def _shows(message: SlackMessage, name: str) -> bool:
    return any(file.name == name for file in message.files)
