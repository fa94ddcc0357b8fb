"""One Socket Mode connection, from its first frame to its last."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import aiohttp
from msgspec import Struct, field
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.response import SocketModeResponse

from wakeful.errors import WakefulError
from wakeful.gateway.messaging.platform import NotTaken, Unanswered
from wakeful.gateway.platforms.slack.client import SDK_LOGGER, SlackClient

# Slack renews each connection after some hours, and says so before it ends the old one.
_RENEWALS = frozenset({"warning", "refresh_requested"})
# How long the end of a line waits for Slack to agree.
_CLOSE_SECONDS = 1.0

logger = logging.getLogger(__name__)


class SlackLineEnded(WakefulError):
    """Slack has ended the connection."""


class Envelope(Struct):
    """What Slack sends again until it is acknowledged."""

    envelope_id: str
    type: str
    payload: dict[str, Any] = field(default_factory=dict)


class SlackLine(SocketModeClient):
    """The SDK's client with another end: that one opens connections anew by itself, without end and without a word,
    and also when the token was refused.
    """

    def __init__(self, client: SlackClient, take: Callable[["SlackLine", Envelope], None], *, ping_seconds: float):
        """`take` is called for each envelope, in the order in which they come."""
        super().__init__("", SDK_LOGGER, client.web, ping_interval=ping_seconds)
        self._session = client.session
        self._take = take
        loop = asyncio.get_running_loop()
        # Slack's first frame: from now on it sends what it has.
        self._hello: asyncio.Future[None] = loop.create_future()
        # Why Slack has ended it, or is about to.
        self._end: asyncio.Future[str] = loop.create_future()

    async def open(self, url: str, timeout: float) -> None:
        """Return when the line stands. Raises NotTaken and Unanswered."""
        self.wss_uri = url
        try:
            async with asyncio.timeout(timeout):
                await self.connect()
                first: list[asyncio.Future[Any]] = [self._hello, self._end]
                await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
        except TimeoutError:
            raise Unanswered("Slack did not greet us in time.") from None
        except (aiohttp.ClientError, OSError) as error:
            # Its words may quote the address, which lets in any program that has it.
            raise NotTaken(f"Socket Mode cannot be reached ({type(error).__name__}).") from None
        if not self._hello.done():
            raise SlackLineEnded("Slack has ended the connection before it began.")

    async def until_renewal(self) -> None:
        """Return when Slack asks for a new line in place of this one. Raises SlackLineEnded for any other end."""
        reason = await self._end
        if reason == "link_disabled":
            raise SlackLineEnded("Socket Mode is turned off for this app: turn it on at api.slack.com.")
        if reason not in _RENEWALS:
            raise SlackLineEnded(f"Slack has ended the connection ({reason}).")

    async def acknowledge(self, envelope_id: str) -> None:
        try:
            await self.send_socket_mode_response(SocketModeResponse(envelope_id))
        except (aiohttp.ClientError, OSError) as error:
            # Slack sends it again on another line, where it is known.
            logger.info("An envelope of Slack was not acknowledged: %s", type(error).__name__)

    async def close(self) -> None:
        await super().close()  # type: ignore[no-untyped-call]
        # The SDK ends its jobs without waiting for them.
        jobs = [self.message_processor, self.message_receiver, self.current_session_monitor]
        await asyncio.gather(*(job for job in jobs if job is not None), return_exceptions=True)

    async def connect(self) -> None:
        self.current_session = await self._session.ws_connect(
            str(self.wss_uri),
            autoping=False,
            heartbeat=self.ping_interval,
            max_msg_size=0,
            timeout=aiohttp.ClientWSTimeout(ws_close=_CLOSE_SECONDS),
        )
        self.message_receiver = asyncio.ensure_future(self.receive_messages())
        self.current_session_monitor = asyncio.ensure_future(self.monitor_current_session())

    async def connect_to_new_endpoint(self, force: bool = False) -> None:
        """The SDK calls this when the connection is gone or silent."""
        self._finish("the line was cut")

    async def run_message_listeners(self, message: dict[str, Any], raw_message: str) -> None:
        kind = message.get("type")
        if kind == "hello" and not self._hello.done():
            self._hello.set_result(None)
        elif kind == "disconnect":
            self._finish(str(message.get("reason", "")))
        elif "envelope_id" in message:
            self._take(self, Envelope(message["envelope_id"], str(kind), message.get("payload") or {}))

    def _finish(self, reason: str) -> None:
        if not self._end.done():
            self._end.set_result(reason)
