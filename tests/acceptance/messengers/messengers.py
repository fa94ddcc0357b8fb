"""The three messaging platforms on loopback, and what a server has to know of them."""

from collections.abc import Iterable
from contextlib import AsyncExitStack

from tests.acceptance.messengers.discord import DiscordMessenger
from tests.acceptance.messengers.messenger import Messenger
from tests.acceptance.messengers.slack import SlackMessenger
from tests.acceptance.messengers.telegram import TelegramMessenger
from tests.platforms.discord_server import DiscordServer
from tests.platforms.slack_server import SlackServer
from tests.platforms.telegram_server import TelegramServer

PLATFORMS = ("telegram", "discord", "slack")
# Everybody may talk, in groups without a mention; answers grow fast, and lost ones are looked up soon.
_COMMON = {"ALLOW": "*", "GROUPS": "all", "EDIT_SECONDS": "0.2"}


async def open_messenger(name: str, ending: AsyncExitStack) -> Messenger:
    if name == "telegram":
        return TelegramMessenger(await ending.enter_async_context(TelegramServer()))
    if name == "discord":
        return DiscordMessenger(await ending.enter_async_context(DiscordServer()))
    return SlackMessenger(await ending.enter_async_context(SlackServer()))


def settings_of(messengers: Iterable[Messenger]) -> dict[str, str]:
    """Return the environment of a server that opens these doors."""
    doors = {
        f"WAKEFUL_{messenger.name.upper()}_{name}": value
        for messenger in messengers
        for name, value in (_COMMON | messenger.settings).items()
    }
    return doors | {"WAKEFUL_DELIVERY_SETTLE_SECONDS": "0.3", "WAKEFUL_SEND_TIMEOUT_SECONDS": "2"}
