"""The checks of the platforms: each is asked by its adapter, and what goes wrong at one is told of that one."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.platforms.telegram_server import TOKEN, TelegramServer
from wakeful.cli.doctor import platform_checks
from wakeful.cli.doctor.platform_checks import check_platforms
from wakeful.config.config import Config
from wakeful.config.load import load_config
from wakeful.errors import ConfigError
from wakeful.gateway.messaging.needs import PlatformNeeds


def config_of(home: Path, **settings: str) -> Config:
    return load_config({"WAKEFUL_HOME": str(home), **settings})


async def test_each_platform_is_asked_by_its_adapter(tmp_path: Path) -> None:
    async with TelegramServer() as telegram:
        settings = {"WAKEFUL_TELEGRAM_TOKEN": TOKEN, "WAKEFUL_TELEGRAM_API_URL": telegram.url}
        (well,) = await check_platforms(config_of(tmp_path, **settings))
        telegram.token = "another"
        (refused,) = await check_platforms(config_of(tmp_path, **settings))
    (gone,) = await check_platforms(config_of(tmp_path, **settings))

    assert (well.name, well.state) == ("telegram", "ok")
    assert [found.state for found in (refused, gone)] == ["fail", "fail"]
    assert TOKEN not in refused.message + gone.message


async def test_a_platform_that_does_not_answer_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Silent:
        is_closed = False

        async def check(self) -> Any:
            await asyncio.Event().wait()

        async def close(self) -> None:
            self.is_closed = True

    silent = Silent()
    monkeypatch.setattr(platform_checks, "_PATIENCE_SECONDS", 0.01)
    monkeypatch.setattr(platform_checks, "build_platform", lambda name, needs: silent)

    async with asyncio.timeout(10):
        (found,) = await check_platforms(config_of(tmp_path, WAKEFUL_TELEGRAM_TOKEN=TOKEN))

    assert (found.name, found.state, silent.is_closed) == ("telegram", "fail", True)
    assert found.message.startswith("It did not answer within")


async def test_a_platform_whose_package_is_missing_is_a_failure_beside_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Well:
        async def check(self) -> list[tuple[str, str, str]]:
            return [("slack", "ok", "as @bot")]

        async def close(self) -> None: ...

    def build(name: str, needs: PlatformNeeds) -> Well:
        if name == "telegram":
            raise ConfigError("Install it.")
        return Well()

    monkeypatch.setattr(platform_checks, "build_platform", build)
    tokens = {"WAKEFUL_SLACK_BOT_TOKEN": "xoxb-1", "WAKEFUL_SLACK_APP_TOKEN": "xapp-1", "WAKEFUL_TELEGRAM_TOKEN": TOKEN}

    found = await check_platforms(config_of(tmp_path, **tokens))

    assert sorted(result.line for result in found) == ["slack: ok (as @bot)", "telegram: failed: Install it."]
