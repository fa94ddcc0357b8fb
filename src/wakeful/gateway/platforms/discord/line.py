"""The line to Discord's gateway. What a RESUME needs outlives a line that breaks, and a process that ends."""

import asyncio
import logging
from contextlib import suppress

import discord
from discord.gateway import DiscordWebSocket, ReconnectWebSocket
from yarl import URL

from wakeful.errors import WakefulError
from wakeful.gateway.messaging.platform import TokenRefused
from wakeful.gateway.platforms.discord.client import DiscordClient
from wakeful.gateway.platforms.discord.failures import TOKEN_REFUSED
from wakeful.gateway.platforms.discord.progress import GatewayProgress

_OPEN_SECONDS = 60.0
_CLOSE_SECONDS = 2.0
_WRONG_TOKEN = 4004
_WRONG_INTENTS = frozenset({4013, 4014})

logger = logging.getLogger(__name__)


class LineBroken(WakefulError):
    """Discord has closed the connection."""


class IntentsRefused(TokenRefused):
    """Discord refuses the bot its messages: turn on the Message Content Intent on the Bot page of the application in
    Discord's developer portal.
    """


class DiscordLine:
    def __init__(self, client: DiscordClient, progress: GatewayProgress) -> None:
        self._client = client
        self._progress = progress
        self._has_recalled = False
        self._session: str | None = None
        self._sequence: int | None = None
        # Where a RESUME has to go.
        self._gateway: URL | None = None
        self._stands = False

    def note_standing(self) -> None:
        """Note that Discord has answered an IDENTIFY or a RESUME."""
        self._stands = True

    async def run(self) -> None:
        """Receive until the line breaks for longer than a RESUME takes, and raise what broke it."""
        if not self._has_recalled:
            await self._recall()
        while True:
            resumes, self._stands = self._session is not None, False
            try:
                await self._follow()
            except ReconnectWebSocket as signal:
                was_forgotten = resumes and not signal.resume
                if not self._stands and not was_forgotten:
                    raise LineBroken from None
            except discord.ConnectionClosed as closed:
                self._session = None
                raise _meaning(closed) from None

    async def _recall(self) -> None:
        """Go on with the session of another process, once: Discord may refuse it."""
        point = await self._progress.load()
        self._has_recalled = True
        if point is not None:
            self._session, self._sequence, self._gateway = point.session, point.sequence, URL(point.gateway)
            self._client.recalled_roles = point.roles
            if point.has_missed:
                self._client.events.read_missed()

    async def _follow(self) -> None:
        socket = await self._open()
        self._progress.attach(socket)
        try:
            while True:
                await _receive(socket)
                self._progress.note_event()
        finally:
            self._session, self._sequence, self._gateway = socket.session_id, socket.sequence, socket.gateway
            # Any code but 1000 and 1001: those end the session.
            with suppress(TimeoutError):
                async with asyncio.timeout(_CLOSE_SECONDS):
                    await socket.close()

    async def _open(self) -> DiscordWebSocket:
        resumes = self._session is not None
        gateway, self._gateway = self._gateway if resumes else None, None
        async with asyncio.timeout(_OPEN_SECONDS):
            return await DiscordWebSocket.from_client(
                self._client,
                # The address that a session is resumed at may be gone: then the next try asks for one.
                gateway=gateway or await self._client.gateway_address(),
                session=self._session,
                sequence=self._sequence,
                resume=resumes,
            )


async def _receive(socket: DiscordWebSocket) -> None:
    try:
        await socket.poll_event()
    except (AttributeError, LookupError, TypeError, ValueError):
        # It is lost, but a RESUME would not bring it in another form.
        logger.exception("discord.py could not read an event of Discord")


def _meaning(closed: discord.ConnectionClosed) -> WakefulError:
    if closed.code == _WRONG_TOKEN:
        return TokenRefused(TOKEN_REFUSED)
    if closed.code in _WRONG_INTENTS:
        return IntentsRefused()
    return LineBroken(f"Discord has closed the connection with code {closed.code}.")
