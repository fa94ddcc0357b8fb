"""Settings of the messaging doors: which open, how, and the one sentence where something is missing."""

from pathlib import Path
from typing import Any

import pytest

from wakeful.building.doors import build_platform
from wakeful.config.config import Config
from wakeful.config.load import load_config
from wakeful.errors import ConfigError
from wakeful.gateway.messaging.needs import PlatformNeeds
from wakeful.gateway.messaging.settings import DoorSettings, Groups, PlatformAccess, ShownProgress, Strangers
from wakeful.model.inbox import IfBusy
from wakeful.model.messaging.chat import SessionScope

TOKEN = "110201543:hunter2hunter2"


def load(home: Path, **environment: str) -> Config:
    return load_config({"WAKEFUL_HOME": str(home), **environment})


def test_a_door_opens_when_its_token_is_set_and_lets_nobody_in(tmp_path: Path) -> None:
    assert load(tmp_path).messaging.doors == {}

    tokens = {"WAKEFUL_SLACK_BOT_TOKEN": "xoxb", "WAKEFUL_SLACK_APP_TOKEN": "xapp", "WAKEFUL_TELEGRAM_TOKEN": TOKEN}
    messaging = load(tmp_path, **tokens).messaging

    assert messaging.doors == {"telegram": DoorSettings(edit_seconds=1.5), "slack": DoorSettings(edit_seconds=1.2)}
    assert messaging.doors["slack"].allow == frozenset()
    assert messaging.access["telegram"].api_url == "https://api.telegram.org"
    assert TOKEN not in repr(messaging)
    assert (messaging.attachment_bytes, messaging.send_timeout, messaging.settle_seconds) == (20 * 2**20, 30, 3)


def test_a_platform_gets_its_own_tokens_and_only_telegram_calls_the_server(tmp_path: Path) -> None:
    given = {
        "PUBLIC_URL": "https://a.example",
        "TELEGRAM_TOKEN": TOKEN,
        "TELEGRAM_MODE": "webhook",
        "TELEGRAM_API_URL": "http://127.0.0.1:1/",
        "DISCORD_TOKEN": "discord",
        "SLACK_BOT_TOKEN": "xoxb",
        "SLACK_APP_TOKEN": "xapp",
    }
    config = load(tmp_path, **{f"WAKEFUL_{name}": value for name, value in given.items()})

    assert config.messaging.access == {
        "telegram": PlatformAccess("http://127.0.0.1:1", TOKEN, mode="webhook"),
        "discord": PlatformAccess("https://discord.com/api/v10", "discord"),
        "slack": PlatformAccess("https://slack.com/api", "xoxb", "xapp"),
    }
    assert config.engine.closed_platforms == set()


def test_a_webhook_of_telegram_needs_no_public_address_without_a_token(tmp_path: Path) -> None:
    assert load(tmp_path, WAKEFUL_TELEGRAM_MODE="webhook").messaging.access == {}


def test_each_setting_of_a_door_is_read(tmp_path: Path) -> None:
    given = {
        "TOKEN": TOKEN,
        "ALLOW": "9, 10",
        "STRANGERS": "silent",
        "GROUPS": "all",
        "SESSIONS": "user",
        "BUSY": "steer",
        "PROGRESS": "off",
        "STREAM": "off",
        "EDIT_SECONDS": "3",
    }
    found = load(tmp_path, **{f"WAKEFUL_DISCORD_{name}": value for name, value in given.items()}).messaging.doors

    expected = DoorSettings(
        frozenset({"9", "10"}),
        Strangers.SILENT,
        Groups.ALL,
        SessionScope.USER,
        IfBusy.STEER,
        ShownProgress.OFF,
        streams=False,
        edit_seconds=3.0,
    )
    assert found == {"discord": expected}


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"WAKEFUL_SLACK_BOT_TOKEN": "x"}, "WAKEFUL_SLACK_APP_TOKEN is not set"),
        ({"WAKEFUL_SLACK_APP_TOKEN": "x"}, "WAKEFUL_SLACK_BOT_TOKEN is not set"),
        ({"WAKEFUL_TELEGRAM_TOKEN": TOKEN, "WAKEFUL_TELEGRAM_MODE": "webhook"}, "needs WAKEFUL_PUBLIC_URL"),
        ({"WAKEFUL_TELEGRAM_GROUPS": "some"}, "WAKEFUL_TELEGRAM_GROUPS must be"),
        ({"WAKEFUL_SLACK_BUSY": "reject"}, "WAKEFUL_SLACK_BUSY must be"),
    ],
)
def test_what_does_not_fit_stops_the_start(tmp_path: Path, environment: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        load(tmp_path, **environment)


def test_a_token_whose_package_is_missing_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def without_package(name: str, *rest: Any) -> Any:
        raise ModuleNotFoundError("No module named 'discord'", name="discord")

    monkeypatch.setattr("wakeful.building.loading.import_module", without_package)
    needs = PlatformNeeds(PlatformAccess("", TOKEN), 1.0, "", (), _nothing, _nothing, "")

    with pytest.raises(ConfigError) as refused:
        build_platform("discord", needs)

    assert str(refused.value) == (
        "A token for discord is set, and the package discord is missing: install wakeful[discord]."
    )


async def _nothing(*_: object) -> list[Any]:
    return []
