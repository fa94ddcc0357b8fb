"""Builds Discord's adapter from the settings."""

from wakeful.gateway.messaging.needs import PlatformNeeds
from wakeful.gateway.platforms.discord.adapter import DiscordPlatform, DiscordSettings


def build_discord(needs: PlatformNeeds) -> DiscordPlatform:
    settings = DiscordSettings(needs.access.token, needs.access.api_url)
    return DiscordPlatform(settings, needs.commands, chats=needs.chats)
