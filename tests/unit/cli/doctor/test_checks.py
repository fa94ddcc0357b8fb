"""The checks of `wakeful doctor`: each finds what is wrong, and says what to do."""

import socket
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from tests.endpoint import Endpoint
from tests.platforms.telegram_server import TOKEN, TelegramServer
from wakeful.cli.client import Client, RequestRefused
from wakeful.cli.doctor.platform_checks import check_platforms
from wakeful.cli.doctor.provider_checks import check_providers
from wakeful.cli.doctor.result import CheckResult
from wakeful.cli.doctor.server_checks import check_cron, check_doors, check_outbox, check_people
from wakeful.cli.doctor.settings_checks import check_home, check_hooks, check_model, check_port, check_spend
from wakeful.config.config import Config
from wakeful.config.load import load_config

_HOOK = '[[hooks]]\nname = "repo"\nsecret = "hunter2hunter2hunter2"\nsignature = "github"\nmessage = "{action}"'


def config_of(home: Path, toml: str = "", **settings: str) -> Config:
    (home / "config.toml").write_text(toml, encoding="utf-8")
    return load_config({"WAKEFUL_HOME": str(home), **settings})


class Answers:
    """A server that gives these answers."""

    def __init__(self, **by_path: Any) -> None:
        self._by_path = by_path

    async def get(self, path: str, **query: str) -> Mapping[str, Any]:
        name = path.rpartition("/")[2]
        if name not in self._by_path:
            raise RequestRefused(404, {"code": "not_found"})
        return {{"cron": "jobs", "outbox": "posts"}.get(name, name): self._by_path[name]}


def server(**by_path: Any) -> Client:
    return cast(Client, Answers(**by_path))


def a_job(seconds: float = 86_400.0, **fields: Any) -> dict[str, Any]:
    next_at = (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat()
    return {"id": "job_1", "name": "tides", "status": "active", "next_at": next_at, "last_status": "done"} | fields


def test_a_line_says_what_was_found() -> None:
    assert CheckResult.ok("home", "/home").line == "home: ok (/home)"
    assert CheckResult.warn("home", "Do this.").line == "home: warning: Do this."
    assert CheckResult.fail("home", "Do that.").line == "home: failed: Do that."


def test_a_home_that_others_can_read_is_a_warning(tmp_path: Path) -> None:
    config = config_of(tmp_path)
    tmp_path.chmod(0o755)
    loose = check_home(config)
    tmp_path.chmod(0o700)

    assert loose == CheckResult.warn("home", f"Other users can look into {tmp_path}: run chmod 700 {tmp_path}.")
    assert check_home(config) == CheckResult.ok("home", str(tmp_path))


@pytest.mark.parametrize(
    ("settings", "state", "words"),
    [
        ({}, "warn", "demonstration model"),
        ({"WAKEFUL_MODEL": "nobody:x"}, "fail", "unknown provider"),
        ({"WAKEFUL_MODEL": "openai:x", "WAKEFUL_FALLBACK_MODELS": "xai:y"}, "ok", "openai:x, then xai:y"),
    ],
)
async def test_the_model_is_checked(tmp_path: Path, settings: dict[str, str], state: str, words: str) -> None:
    found = await check_model(config_of(tmp_path, **settings))

    assert (found.state, words in found.message) == (state, True)


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ({}, []),
        ({"WAKEFUL_MODEL": "openai:x"}, [("provider:openai", "fail", "set OPENAI_API_KEY")]),
        ({"WAKEFUL_MODEL": "openai:x", "OPENAI_API_KEY": "k" * 8}, [("provider:openai", "ok", "--online")]),
        ({"WAKEFUL_MODEL": "openai:x", "OPENAI_API_KEY": "k"}, [("provider:openai", "warn", "too short to be masked")]),
        ({"WAKEFUL_FALLBACK_MODELS": "xai:y,nobody:x"}, [("provider:xai", "warn", "set XAI_API_KEY")]),
    ],
)
async def test_each_endpoint_in_use_has_its_key(
    tmp_path: Path, settings: dict[str, str], found: list[tuple[str, str, str]]
) -> None:
    results = await check_providers(config_of(tmp_path, **settings), is_online=False)

    assert [(result.name, result.state) for result in results] == [(name, state) for name, state, _ in found]
    assert all(words in result.message for result, (_, _, words) in zip(results, found, strict=True))


@pytest.mark.parametrize(
    ("model", "path", "state", "words"),
    [
        ("scripted", "/v1", "ok", "lists 3 models"),
        ("scriptd", "/v1", "warn", "It lists no model scriptd: check the name. It has scripted."),
        ("zzz", "/v1", "warn", "It has scripted, listed, local:3b."),
        ("scripted", "/nowhere", "warn", "check the model's name and base_url in [providers.local]"),
    ],
)
async def test_online_an_endpoint_says_whether_it_has_the_model(
    tmp_path: Path, model: str, path: str, state: str, words: str
) -> None:
    async with Endpoint() as endpoint:
        toml = f'model = "local:{model}"\n[providers.local]\nbase_url = "{endpoint.root}{path}"\n'
        (found,) = await check_providers(config_of(tmp_path, toml), is_online=True)

    assert (found.name, found.state) == ("provider:local", state)
    assert words in found.message


async def test_online_an_endpoint_that_is_not_there_is_found(tmp_path: Path) -> None:
    toml = 'model = "local:x"\n[providers.local]\nbase_url = "http://127.0.0.1:1/v1"\n'

    (found,) = await check_providers(config_of(tmp_path, toml), is_online=True)

    assert found.state == "fail"
    assert "cannot be reached" in found.message
    assert "check base_url in [providers.local]" in found.message


@pytest.mark.parametrize(
    ("settings", "state", "words"),
    [
        ({}, "ok", "no limit"),
        ({"WAKEFUL_DAILY_SPEND_USD": "9", "WAKEFUL_DAILY_SPEND_HARD_USD": "5"}, "warn", "exchange the two"),
        ({"WAKEFUL_DAILY_SPEND_USD": "5"}, "ok", "after 5 USD a day nothing wakes by itself"),
        (
            {"WAKEFUL_DAILY_SPEND_USD": "5", "WAKEFUL_DAILY_SPEND_HARD_USD": "7.5"},
            "ok",
            "after 5 USD a day nothing wakes by itself, after 7.5 USD a day all stops",
        ),
        ({"WAKEFUL_DAILY_SPEND_USD": "5", "WAKEFUL_MODEL": "openai:odd"}, "warn", "openai:odd has no known price"),
        (
            {"WAKEFUL_DAILY_SPEND_HARD_USD": "5", "WAKEFUL_FALLBACK_MODELS": "openai:gpt-5,openai:odd"},
            "warn",
            "openai:odd has no known price",
        ),
    ],
)
def test_with_a_cap_a_model_without_a_price_is_a_warning(
    tmp_path: Path, settings: dict[str, str], state: str, words: str
) -> None:
    found = check_spend(config_of(tmp_path, **settings))

    assert (found.name, found.state) == ("spend", state)
    assert words in found.message


async def test_a_table_about_a_model_that_nobody_serves_is_a_warning(tmp_path: Path) -> None:
    toml = '[models."opnai:gpt-5"]\ninput_price = 1\noutput_price = 2\n'

    found = await check_model(config_of(tmp_path, toml, WAKEFUL_MODEL="openai:gpt-5"))

    assert (found.state, '[models."opnai:gpt-5"]' in found.message) == ("warn", True)


async def test_a_fallback_that_nobody_serves_is_found(tmp_path: Path) -> None:
    found = await check_model(config_of(tmp_path, WAKEFUL_FALLBACK_MODELS="nobody:x"))

    assert found.state == "fail"
    assert found.message.startswith("WAKEFUL_FALLBACK_MODELS: The model 'nobody:x' names an unknown provider")


def test_a_port_in_use_is_found_unless_our_own_server_has_it(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        taken = check_port(config_of(tmp_path, WAKEFUL_PORT=str(port)))
    free = check_port(config_of(tmp_path, WAKEFUL_PORT="0"))

    assert (taken.state, f"127.0.0.1:{port} is in use" in taken.message) == ("fail", True)
    assert free.state == "ok"


def test_hooks_that_nobody_can_reach_are_a_warning(tmp_path: Path) -> None:
    assert check_hooks(config_of(tmp_path)) == CheckResult.ok("hooks", "none")
    assert check_hooks(config_of(tmp_path, _HOOK)).state == "warn"
    served = config_of(tmp_path, _HOOK, WAKEFUL_PUBLIC_URL="https://wakeful.example.org")
    assert check_hooks(served) == CheckResult.ok("hooks", "repo at https://wakeful.example.org/hooks/NAME")


@pytest.mark.parametrize(
    ("jobs", "is_served", "state", "words"),
    [
        ([], True, "ok", "0 active"),
        ([a_job(), a_job(status="paused", next_at=None)], True, "ok", "1 active"),
        ([a_job()], False, "warn", "wakeful serve"),
        ([a_job(-300.0)], True, "fail", "tides should have run"),
        ([a_job(last_status="failed")], True, "warn", "wakeful cron runs job_1"),
    ],
)
async def test_schedules_are_checked(tmp_path: Path, jobs: list[Any], is_served: bool, state: str, words: str) -> None:
    found = await check_cron(config_of(tmp_path), server(cron=jobs), is_served=is_served)

    assert (found.state, words in found.message) == (state, True)


async def test_a_server_without_schedules_is_older_than_the_command(tmp_path: Path) -> None:
    assert (await check_cron(config_of(tmp_path), server(), is_served=True)).state == "warn"


@pytest.mark.parametrize(
    ("pairings", "strangers", "expected"),
    [
        ([], "pair", CheckResult.ok("people", "0 paired")),
        ([], "silent", CheckResult.warn("people", "No one may talk on telegram: set WAKEFUL_TELEGRAM_ALLOW.")),
        ([{"platform": "telegram", "paired": True}], "silent", CheckResult.ok("people", "1 paired")),
        (
            [{"platform": "telegram", "paired": False}],
            "pair",
            CheckResult.warn("people", "1 wait to be let in: wakeful pair lists them."),
        ),
    ],
)
async def test_people_are_checked(tmp_path: Path, pairings: list[Any], strangers: str, expected: CheckResult) -> None:
    config = config_of(tmp_path, WAKEFUL_TELEGRAM_TOKEN=TOKEN, WAKEFUL_TELEGRAM_STRANGERS=strangers)

    assert await check_people(config, server(pairings=pairings)) == expected


async def test_a_door_that_is_not_connected_is_a_warning_with_its_reason(tmp_path: Path) -> None:
    well = {"name": "slack", "state": "connected", "since": "2026-01-01T12:00:00.000Z", "error": ""}
    broken = well | {"name": "telegram", "state": "retrying", "error": "Another program polls with this token."}

    found = await check_doors(config_of(tmp_path), server(platforms=[well, broken]))

    assert (found.name, found.state) == ("doors", "warn")
    assert found.message.startswith("telegram is retrying since ")
    assert found.message.endswith(": Another program polls with this token.")
    connected = await check_doors(config_of(tmp_path), server(platforms=[well]))
    assert connected == CheckResult.ok("doors", "slack is connected")


async def test_refused_posts_are_a_warning_with_the_newest_reason(tmp_path: Path) -> None:
    refused = [{"platform": "telegram", "error": "kicked\x1b[31m out"}, {"platform": "slack", "error": "older"}]

    found = await check_outbox(config_of(tmp_path), server(outbox=refused))

    assert found == CheckResult.warn("outbox", "2 posts were refused, the newest to telegram: kicked out")
    assert (await check_outbox(config_of(tmp_path), server(outbox=[]))).state == "ok"


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
