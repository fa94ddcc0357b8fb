"""discord.py's client, made safe to share: one login, requests that end, and errors of our own.

discord.py sleeps through limits and repeats requests after a 5xx. Our sends carry a nonce that Discord enforces, so a
repetition is harmless; limits of more than a moment are raised, so that the post can wait without its request.
"""

import asyncio
import logging
import math
import time
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any, Protocol
from urllib.request import getproxies, proxy_bypass

import aiohttp
import discord
import orjson
from discord.http import Route
from yarl import URL

from wakeful.errors import WakefulError
from wakeful.gateway.messaging.platform import NotTaken, Refused, Unanswered
from wakeful.gateway.platforms.discord.failures import own_errors
from wakeful.opened_files import open_file
from wakeful.under_way import UnderWay

# discord.py sleeps through limits up to this long, and raises longer ones.
_SLEPT_SECONDS = 2.0
_READ_SECONDS = 30.0
_PIECE_BYTES = 64 * 1024
# How much longer than other requests a file may take.
_FILE_TIMES = 10

# At lower levels discord.py logs every event and request, with the tokens of interactions.
logging.getLogger("discord").setLevel(logging.WARNING)


class GatewayEvents(Protocol):
    """Receives what comes through the gateway. The methods return at once, so that the order is kept."""

    def identified(self) -> None:
        """A new session of the gateway has begun: what came before it was not received."""
        ...

    def read_missed(self) -> None:
        """What came before the session is still to be read, ahead of what comes in it from now on."""
        ...

    def resumed(self) -> None: ...

    def message(self, message: discord.Message) -> None: ...

    def interaction(self, interaction: discord.Interaction) -> None: ...


class DiscordClient(discord.Client):
    # Gets the events; set before the gateway is opened.
    events: GatewayEvents

    def __init__(self, token: str, api_url: str, *, timeout: float, identify_seconds: float) -> None:
        """`timeout`: how long a request may go unanswered; `identify_seconds`: the shortest time between two new
        sessions of the gateway.
        """
        # discord.py warns that it cannot speak. It need not.
        discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False
        Route.BASE = api_url.rstrip("/")
        super().__init__(
            intents=_intents(),
            max_messages=None,
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            proxy=_proxy_for(URL(api_url)),
        )
        # The constructor takes no less than 30 s.
        self.http.max_ratelimit_timeout = _SLEPT_SECONDS
        # Requests to one channel wait for each other: one that is never answered would hold up all others.
        limits = aiohttp.ClientTimeout(total=timeout)
        self.http.request = partial(self.http.request, timeout=limits)  # type: ignore[method-assign]
        self._upload_limits = aiohttp.ClientTimeout(total=timeout * _FILE_TIMES)
        self._token = token
        self._logging_in = asyncio.Lock()
        self._is_logged_in = False
        self._identify_seconds = identify_seconds
        self._identified_at = -math.inf
        self._files: aiohttp.ClientSession | None = None
        self._under_way = UnderWay()
        # Of a session that another process has begun: Discord names them in a new one alone.
        self.recalled_roles: tuple[int, ...] = ()

    @property
    def own_roles(self) -> tuple[int, ...]:
        """The roles that Discord has given to the bot itself, one in each guild."""
        roles = [guild.self_role for guild in self.guilds]
        return tuple(sorted({*self.recalled_roles, *(role.id for role in roles if role is not None)}))

    @property
    def bot(self) -> discord.ClientUser:
        """The bot itself, known after `log_in`."""
        if self.user is None:
            raise WakefulError("Discord has not said who the bot is.")
        return self.user

    async def log_in(self) -> None:
        """Find out who the bot is; nothing the second time. Raises NotTaken and TokenRefused."""
        async with self._logging_in:
            if self._is_logged_in:
                return
            try:
                with own_errors():
                    await self.login(self._token)
                self._is_logged_in = True
            except (Unanswered, Refused) as error:
                # The fault lies with the door: the caller's own request was not made.
                raise NotTaken(str(error)) from None
            finally:
                if not self._is_logged_in:
                    # Each login opens a session, and none closes the one before.
                    await self.http.close()
                    self.http.connector = discord.utils.MISSING

    async def call(self, route: Route, payload: Any = None, *, file: Path | None = None) -> Any:
        """Return Discord's answer. Raises NotTaken, Unanswered, Refused and TokenRefused."""
        await self.log_in()
        # A caller that gives up must not cancel discord.py while it waits out a global limit: it would never let
        # another request go.
        with own_errors():
            return await self._under_way.to_its_end(self._request(route, payload, file))

    async def messages_after(self, channel_id: str, after: int, limit: int) -> list[discord.Message]:
        """Return the messages of a channel or thread after an id, the oldest first. Raises as `call` does."""
        await self.log_in()
        with own_errors():
            return await self._under_way.to_its_end(self._history(int(channel_id), after, limit))

    async def gateway_address(self) -> URL:
        found = await self.call(Route("GET", "/gateway/bot"))
        limit = found.get("session_start_limit", {})
        if limit.get("remaining", 1) <= 0:
            # Discord resets the token of a bot that goes on.
            seconds = limit.get("reset_after", 0) / 1000
            raise WakefulError(f"This bot has connected too often today; Discord lets it in again in {seconds:.0f} s.")
        return URL(found["url"])

    async def download(self, url: str) -> AsyncIterator[bytes]:
        """Yield a file that a person has sent. Raises Refused where Discord does not hand it out, else Unanswered."""
        if self._files is None:
            timeout = aiohttp.ClientTimeout(total=None, sock_connect=_READ_SECONDS, sock_read=_READ_SECONDS)
            self._files = aiohttp.ClientSession(trust_env=True, timeout=timeout)
        try:
            async with self._files.get(url) as response:
                if 400 <= response.status < 500:
                    raise Refused(f"Discord does not hand out the file: it answered {response.status}.")
                if response.status != 200:
                    raise Unanswered(f"Discord answered {response.status} instead of a file.")
                async for piece in response.content.iter_chunked(_PIECE_BYTES):
                    yield piece
        except (aiohttp.ClientError, TimeoutError) as error:
            raise Unanswered(f"A file could not be read from Discord: {str(error) or type(error).__name__}") from None

    async def shut(self) -> None:
        for request in list(self._under_way.jobs):
            request.cancel()
        await self._under_way.ended()
        if self._files is not None:
            await self._files.close()
        await self.close()

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        await asyncio.sleep(self._identified_at + self._identify_seconds - time.monotonic())
        self._identified_at = time.monotonic()

    def dispatch(self, event: str, /, *args: Any, **kwargs: Any) -> None:
        """At once, where discord.py begins a task: an event is in hand before the next one is received."""
        match event:
            case "connect":
                self.events.identified()
            case "resumed":
                self.events.resumed()
            case "message":
                self.events.message(*args)
            case "interaction":
                self.events.interaction(*args)

    async def _request(self, route: Route, payload: Any, file: Path | None) -> Any:
        if file is not None:
            return await self._upload(route, payload, file)
        return await self.http.request(route, **({} if payload is None else {"json": payload}))

    async def _upload(self, route: Route, payload: Any, path: Path) -> Any:
        try:
            opened = await asyncio.to_thread(open_file, path)
        except OSError as error:
            raise Refused(f"The file {path.name} cannot be read ({error.strerror}).") from None
        with opened:
            file = discord.File(opened, path.name)
            described = orjson.dumps(payload | {"attachments": [file.to_dict(0)]}).decode()
            form: list[dict[str, Any]] = [
                {"name": "payload_json", "value": described, "content_type": "application/json"},
                {"name": "files[0]", "value": file.fp, "filename": file.filename},
            ]
            try:
                return await self.http.request(route, form=form, files=[file], timeout=self._upload_limits)
            finally:
                # It lets the opened file be closed.
                file.close()

    async def _history(self, channel_id: int, after: int, limit: int) -> list[discord.Message]:
        channel = self.get_partial_messageable(channel_id)
        found = channel.history(limit=limit, after=discord.Object(after), oldest_first=True)
        return [message async for message in found]


def _intents() -> discord.Intents:
    intents = discord.Intents.none()
    intents.guilds = intents.guild_messages = intents.dm_messages = intents.message_content = True
    return intents


def _proxy_for(url: URL) -> str | None:
    """Return the proxy that the environment names: discord.py does not look there."""
    return None if proxy_bypass(url.host or "") else getproxies().get(url.scheme)
