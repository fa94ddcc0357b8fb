"""Builds Telegram's adapter from the settings."""

from wakeful.gateway.messaging.needs import PlatformNeeds
from wakeful.gateway.platforms.telegram.adapter import TelegramPlatform, TelegramSettings
from wakeful.gateway.platforms.telegram.webhook import TelegramWebhook


def build_telegram(needs: PlatformNeeds) -> TelegramPlatform:
    access = needs.access
    webhook = TelegramWebhook(needs.public_url, needs.secret) if access.mode == "webhook" else None
    if webhook is not None:
        needs.routes.append(webhook.route())
    settings = TelegramSettings(access.token, access.api_url, needs.timeout)
    return TelegramPlatform(settings, needs.commands, recall=needs.recall, webhook=webhook)
