"""Buttons and application commands: Discord expects an answer within 3 s, and shows it only to the user who pressed."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import discord
from discord.http import Route

from wakeful.errors import WakefulError
from wakeful.gateway.messaging.platform import IncomingMessage, Ingress, Press
from wakeful.gateway.platforms.discord.channels import DiscordChannel, DiscordChannels
from wakeful.gateway.platforms.discord.client import DiscordClient

# Work that takes longer is acknowledged now and answered later.
_ANSWER_SECONDS = 1.5
_MESSAGE, _LATER = 4, 5
_EPHEMERAL = 64
_FAILED = "I cannot take that in just now. Please try again in a moment."

logger = logging.getLogger(__name__)

HandIn = Callable[[str, IncomingMessage], Awaitable[None]]


class DiscordInteractions:
    def __init__(self, client: DiscordClient, channels: DiscordChannels) -> None:
        self._client = client
        self._channels = channels

    async def press(self, interaction: discord.Interaction, ingress: Ingress) -> None:
        await self._serve(interaction, self._press(interaction, ingress))

    async def command(self, interaction: discord.Interaction, hand_in: HandIn) -> None:
        """`hand_in` takes the channel and the message, and returns when it is taken in."""
        await self._serve(interaction, self._command(interaction, hand_in))

    async def _press(self, interaction: discord.Interaction, ingress: Ingress) -> str:
        channel = await self._channel(interaction)
        data: Any = interaction.data
        message_id = 0 if interaction.message is None else interaction.message.id
        address = channel.address(message_id, interaction.user)
        answer = await ingress.press(Press(address, channel.kind, data["custom_id"], str(message_id)))
        return answer.text

    async def _command(self, interaction: discord.Interaction, hand_in: HandIn) -> str:
        channel = await self._channel(interaction)
        data: Any = interaction.data
        words = [f"/{data['name']}", *(str(option["value"]) for option in data.get("options", ()))]
        # An interaction has an id of the same kind as messages have.
        address = channel.address(interaction.id, interaction.user)
        text = " ".join(words)
        await hand_in(str(interaction.channel_id), IncomingMessage(channel.kind, address, text, is_for_bot=True))
        return text

    async def _channel(self, interaction: discord.Interaction) -> DiscordChannel:
        return await self._channels.find(interaction.channel_id or 0, is_private=interaction.guild_id is None)

    async def _serve(self, interaction: discord.Interaction, work: Coroutine[Any, Any, str]) -> None:
        working = asyncio.create_task(_words_of(work))
        try:
            done, _ = await asyncio.wait([working], timeout=_ANSWER_SECONDS)
            if done:
                await self._answer(interaction, _MESSAGE, content=working.result())
            else:
                await self._answer(interaction, _LATER)
                await self._answer_late(interaction, await working)
        except WakefulError as error:
            # What was pressed counts; only the presser's screen is behind.
            logger.info("A press or a command on Discord was not answered: %s", error)
        finally:
            working.cancel()

    async def _answer(self, interaction: discord.Interaction, type: int, **data: Any) -> None:
        payload = {"type": type, "data": {"flags": _EPHEMERAL, "allowed_mentions": {"parse": []}, **data}}
        path = "/interactions/{interaction_id}/{interaction_token}/callback"
        route = Route("POST", path, interaction_id=interaction.id, interaction_token=interaction.token)
        await self._client.call(route, payload)

    async def _answer_late(self, interaction: discord.Interaction, text: str) -> None:
        path = "/webhooks/{webhook_id}/{webhook_token}/messages/@original"
        route = Route("PATCH", path, webhook_id=interaction.application_id, webhook_token=interaction.token)
        await self._client.call(route, {"content": text, "allowed_mentions": {"parse": []}})


async def _words_of(work: Coroutine[Any, Any, str]) -> str:
    try:
        return await work
    except Exception:
        logger.exception("A press or a command on Discord was not taken in")
        return _FAILED
