"""Slack as a platform of the messaging doors."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from wakeful.errors import WakefulError
from wakeful.gateway.messaging.needs import NO_MEMORY, ChatsSince, DoorMemory, PlatformNeeds
from wakeful.gateway.messaging.platform import (
    Ingress,
    LookedUp,
    Message,
    NotTaken,
    TokenRefused,
    Whereabouts,
)
from wakeful.gateway.messaging.settings import AdapterSettings
from wakeful.gateway.platforms.slack.catch_up import SlackCatchUp
from wakeful.gateway.platforms.slack.client import SlackClient, SlackRefusal
from wakeful.gateway.platforms.slack.files import SlackFiles
from wakeful.gateway.platforms.slack.history import SlackHistory
from wakeful.gateway.platforms.slack.hourglass import Hourglass
from wakeful.gateway.platforms.slack.line import SlackLine
from wakeful.gateway.platforms.slack.names import SlackNames
from wakeful.gateway.platforms.slack.outgoing import (
    BAD_TOKEN,
    NO_THREAD,
    meaning_of_refusal,
    message_params,
    new_message_params,
)
from wakeful.gateway.platforms.slack.reader import SlackBot, SlackReader
from wakeful.gateway.platforms.slack.receiver import SlackReceiver
from wakeful.gateway.platforms.slack.search import SlackSearch
from wakeful.model.messaging.post import Post
from wakeful.model.session import Address

# What the bot token has to allow for everything to work.
SCOPES = frozenset(
    [
        "app_mentions:read",
        "channels:history",
        "channels:read",
        "chat:write",
        "commands",
        "files:read",
        "files:write",
        "groups:history",
        "groups:read",
        "im:history",
        "im:read",
        "metadata.message:read",
        "mpim:history",
        "mpim:read",
        "reactions:write",
        "users:read",
    ]
)
_UNKNOWABLE = LookedUp(Whereabouts.UNKNOWABLE)


@dataclass(frozen=True, slots=True)
class SlackSettings(AdapterSettings):
    # How often the line is tried; after four times without an echo it counts as cut.
    ping_seconds: float = 5.0


class SlackPlatform:
    name = "slack"
    # The reaction stays: this is for one that Slack has not taken at first.
    typing_seconds = 5.0

    def __init__(self, settings: SlackSettings, chats: ChatsSince, memory: DoorMemory = NO_MEMORY) -> None:
        self._settings = settings
        self._chats = chats
        access = settings.access
        self._client = SlackClient(access.token, access.app_token, access.api_url, timeout=settings.timeout)
        self._history = SlackHistory(self._client)
        self._search = SlackSearch(self._history)
        self._files = SlackFiles(self._client, self._search)
        self._hourglass = Hourglass(self._client, memory)
        self._bot: SlackBot | None = None
        # Threads that Slack does not know any more, as channel and id: their posts go to the top of the channel.
        self._gone: set[tuple[str, str]] = set()

    async def run(self, ingress: Ingress, connected: Callable[[str], None]) -> None:
        bot = await self._log_in()
        await self._hourglass.take_over()
        catch_up = SlackCatchUp(self._history, self._chats, retry_seconds=self._settings.retry_seconds)
        await catch_up.load()
        reader = SlackReader(bot, self._client, SlackNames(self._client))
        receiver = SlackReceiver(self._client, reader, ingress, catch_up, retry_seconds=self._settings.retry_seconds)
        try:
            await self._receive(receiver, partial(connected, bot.name))
        finally:
            await receiver.close()

    async def send(self, post: Post, message: Message) -> str:
        thread_id = self._thread_id(post.address)
        try:
            if message.file is not None:
                return await self._files.send(post, message.file, message, thread_id)
            sent = await self._client.call("chat.postMessage", **new_message_params(post, message, thread_id))
        except SlackRefusal as refusal:
            if thread_id and refusal.code in NO_THREAD:
                self._gone.add((post.address.chat_id, thread_id))
            raise meaning_of_refusal(refusal, message, has_thread=bool(thread_id)) from None
        return str(sent["ts"])

    async def edit(self, post: Post, message: Message) -> None:
        if message.file is not None:
            # A file and its words are sent in one piece, and neither changes afterwards.
            return
        try:
            await self._client.call("chat.update", ts=post.message_id, **message_params(post, message))
        except SlackRefusal as refusal:
            raise meaning_of_refusal(refusal, message) from None

    async def look_up(self, post: Post, message: Message) -> LookedUp:
        try:
            if message.file is None:
                return await self._search.find(post)
            bot = self._bot or await self._log_in()
            return await self._files.find(post, message.file, bot.user_id)
        except TokenRefused as refusal:
            raise NotTaken(str(refusal)) from None
        except SlackRefusal as refusal:
            if refusal.code in BAD_TOKEN:
                raise NotTaken(str(refusal)) from None
            return _UNKNOWABLE

    def lane(self, address: Address) -> str:
        return f"{address.chat_id}:{address.thread_id}"

    async def highest_id(self, address: Address) -> int:
        return 0

    async def show_typing(self, address: Address, *, is_over: bool = False) -> None:
        await (self._hourglass.remove(address) if is_over else self._hourglass.show(address))

    async def check(self) -> list[tuple[str, str, str]]:
        try:
            bot = await self._log_in()
            await self._open_url()
            scopes = await self._client.scopes()
        except WakefulError as error:
            return [(self.name, "fail", str(error))]
        if scopes and (missing := sorted(SCOPES - scopes)):
            return [(self.name, "warn", f"Give the app the scopes {', '.join(missing)}, and install it again.")]
        return [(self.name, "ok", f"@{bot.name}, Socket Mode")]

    async def close(self) -> None:
        await self._hourglass.close()
        await self._client.close()

    async def _log_in(self) -> SlackBot:
        try:
            found = await self._client.call("auth.test")
        except SlackRefusal as refusal:
            if refusal.code not in BAD_TOKEN:
                raise
            raise TokenRefused(
                f"Slack refuses the bot token ({refusal.code}): set WAKEFUL_SLACK_BOT_TOKEN to the app's "
                "Bot User OAuth Token, which begins with xoxb-."
            ) from None
        self._bot = SlackBot(found["user_id"], found.get("user", ""))
        return self._bot

    async def _open_url(self) -> str:
        try:
            return await self._client.open_line()
        except SlackRefusal as refusal:
            if refusal.code not in BAD_TOKEN | {"missing_scope"}:
                raise
            raise TokenRefused(
                f"Slack refuses the app token ({refusal.code}): set WAKEFUL_SLACK_APP_TOKEN to an App-Level Token "
                "with the scope connections:write, which begins with xapp-."
            ) from None

    async def _receive(self, receiver: SlackReceiver, connected: Callable[[], None]) -> None:
        line = await self._open_line(receiver)
        try:
            receiver.begin()
            while True:
                connected()
                await line.until_renewal()
                # Both lines stand for a moment, so that nothing falls between them.
                newer = await self._open_line(receiver)
                line, older = newer, line
                await older.close()
        finally:
            await line.close()

    async def _open_line(self, receiver: SlackReceiver) -> SlackLine:
        url = await self._open_url()
        line = SlackLine(self._client, receiver.take, ping_seconds=self._settings.ping_seconds)
        try:
            await line.open(url, self._settings.timeout)
        except BaseException:
            await line.close()
            raise
        return line

    def _thread_id(self, address: Address) -> str:
        """On Slack an answer belongs to a thread, not to a message."""
        return "" if (address.chat_id, address.thread_id) in self._gone else address.thread_id


def build_slack(needs: PlatformNeeds) -> SlackPlatform:
    return SlackPlatform(SlackSettings(needs.access, needs.timeout), needs.chats, needs.memory)
