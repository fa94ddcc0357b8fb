"""The settings of messaging doors, composed from the table of settings."""

from collections.abc import Mapping
from typing import Any

from wakeful.errors import ConfigError
from wakeful.gateway.messaging.settings import (
    PLATFORMS,
    DoorSettings,
    Groups,
    MessagingSettings,
    PlatformAccess,
    ShownProgress,
    Strangers,
)
from wakeful.model.inbox import IfBusy
from wakeful.model.messaging.chat import SessionScope

_API_URLS = {
    "telegram": "https://api.telegram.org",
    "discord": "https://discord.com/api/v10",
    "slack": "https://slack.com/api",
}
_EDIT_SECONDS = {"telegram": 1.5, "discord": 1.2, "slack": 1.2}
_MIB = 1024 * 1024


def messaging_settings(values: Mapping[str, Any]) -> MessagingSettings:
    """Raises ConfigError where a platform has one of its settings without another that it needs."""
    access = {name: found for name in PLATFORMS if (found := _access(name, values)) is not None}
    return MessagingSettings(
        doors={name: _door(name, values) for name in access},
        access=access,
        attachment_bytes=values.get("attachment_mib", 20) * _MIB,
        send_timeout=values.get("send_timeout_seconds", 30.0),
        settle_seconds=values.get("delivery_settle_seconds", 3.0),
    )


def _access(name: str, values: Mapping[str, Any]) -> PlatformAccess | None:
    url = values.get(f"{name}_api_url", _API_URLS[name])
    token = values.get("slack_bot_token" if name == "slack" else f"{name}_token", "")
    app_token = values.get("slack_app_token", "") if name == "slack" else ""
    if name == "slack" and bool(token) != bool(app_token):
        missing = "WAKEFUL_SLACK_APP_TOKEN" if token else "WAKEFUL_SLACK_BOT_TOKEN"
        raise ConfigError(f"Slack needs two tokens, and {missing} is not set.")
    mode = values.get("telegram_mode", "polling") if name == "telegram" else "polling"
    if token and mode == "webhook" and not values.get("public_url"):
        raise ConfigError("WAKEFUL_TELEGRAM_MODE=webhook needs WAKEFUL_PUBLIC_URL: Telegram calls the server there.")
    return PlatformAccess(url, token, app_token, mode) if token else None


def _door(name: str, values: Mapping[str, Any]) -> DoorSettings:
    def given(setting: str, default: Any) -> Any:
        return values.get(f"{name}_{setting}", default)

    return DoorSettings(
        allow=given("allow", frozenset()),
        strangers=Strangers(given("strangers", Strangers.PAIR)),
        groups=Groups(given("groups", Groups.MENTION)),
        sessions=SessionScope(given("sessions", SessionScope.THREAD)),
        busy=IfBusy(given("busy", IfBusy.QUEUE)),
        progress=ShownProgress(given("progress", ShownProgress.SHORT)),
        streams=given("stream", "edit") == "edit",
        edit_seconds=given("edit_seconds", _EDIT_SECONDS[name]),
    )
