"""The checks of `wakeful doctor`: each finds what is wrong, and says what to do."""

import asyncio
import socket
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest

from tests.endpoint import Endpoint
from tests.platforms.telegram_server import TOKEN
from wakeful.agent.models.model_list import EndpointModels
from wakeful.cli.client import Client, RequestRefused
from wakeful.cli.doctor import mcp_checks, provider_checks, settings_checks
from wakeful.cli.doctor.mcp_checks import check_mcp
from wakeful.cli.doctor.provider_checks import check_providers
from wakeful.cli.doctor.result import CheckResult
from wakeful.cli.doctor.server_checks import check_cron, check_database, check_doors, check_outbox, check_people
from wakeful.cli.doctor.settings_checks import (
    check_home,
    check_hooks,
    check_model,
    check_port,
    check_sandbox,
    check_search,
    check_skills,
    check_spend,
)
from wakeful.cli.server.listener import local_listener
from wakeful.config.config import Config
from wakeful.config.load import load_config
from wakeful.tools.mcp.settings import McpServerSettings
from wakeful.tools.processes.sandbox import SandboxChoice

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
        # Someone on another platform, or someone who waits, may not talk here.
        (
            [{"platform": "slack", "paired": True}, {"platform": "telegram", "paired": False}],
            "silent",
            CheckResult.warn("people", "No one may talk on telegram: set WAKEFUL_TELEGRAM_ALLOW."),
        ),
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


def test_a_home_that_cannot_be_made_is_a_failure(tmp_path: Path) -> None:
    config = replace(config_of(tmp_path), home=Path("/dev/null/home"))

    assert check_home(config).state == "fail"


def test_skills_that_cannot_be_read_are_counted(tmp_path: Path) -> None:
    config = replace(config_of(tmp_path), workspace=tmp_path / "work")
    assert check_skills(config) == CheckResult.ok("skills", "0 found")
    for name in ("a", "b"):
        (tmp_path / "skills" / name).mkdir(parents=True)
        (tmp_path / "skills" / name / "SKILL.md").write_text("no head")
    found = check_skills(config)

    assert found.state == "warn"
    assert found.message.startswith(f"{tmp_path / 'skills' / 'a' / 'SKILL.md'}: ")
    assert found.message.endswith(" (1 more)")
    (tmp_path / "skills" / "b" / "SKILL.md").write_text("---\nname: b\ndescription: Does b.\n---\n")
    assert not check_skills(config).message.endswith("more)")
    (tmp_path / "skills" / "a" / "SKILL.md").write_text("---\nname: a\ndescription: Does a.\n---\n")
    assert check_skills(config) == CheckResult.ok("skills", "2 found")


@pytest.mark.parametrize("setting", ["auto", "bwrap"])
def test_without_a_sandbox_it_says_what_that_means(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    config = config_of(tmp_path, WAKEFUL_SANDBOX=setting)
    monkeypatch.setattr(settings_checks, "choose_sandbox", lambda *how: SandboxChoice(None, "it is missing"))
    without = check_sandbox(config)
    monkeypatch.setattr(settings_checks, "choose_sandbox", lambda *how: SandboxChoice(cast(Any, "x"), "it works"))

    assert without.state == ("fail" if setting == "bwrap" else "warn")
    assert "it is missing" in without.message
    assert check_sandbox(config) == CheckResult.ok("sandbox", "bwrap: it works")


def test_the_search_that_is_used_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings_checks, "find_ripgrep", lambda: "/bin/rg")
    assert check_search() == CheckResult.ok("search", "ripgrep, /bin/rg")
    monkeypatch.setattr(settings_checks, "find_ripgrep", lambda: None)
    assert check_search().message.startswith("our own")


def test_the_port_of_a_running_server_is_its_own_business(tmp_path: Path) -> None:
    with local_listener(tmp_path):
        assert check_port(config_of(tmp_path, WAKEFUL_PORT="0")) == CheckResult.ok("port", "the server runs")
    assert check_port(config_of(tmp_path, WAKEFUL_PORT="0")).message.endswith("is free, and no server runs")


@pytest.mark.parametrize(
    ("host", "state"), [("127.0.0.1", "warn"), ("localhost", "warn"), ("0.0.0.0", "ok"), ("box.lan", "ok")]
)
def test_hooks_of_a_server_that_others_reach_need_no_proxy(tmp_path: Path, host: str, state: str) -> None:
    found = check_hooks(config_of(tmp_path, _HOOK, WAKEFUL_HOST=host, WAKEFUL_PORT="8787"))

    assert found.state == state
    assert found.message == "repo at port 8787/hooks/NAME" if state == "ok" else "Only this machine" in found.message


class Health(Answers):
    def __init__(self, disk_is_full: bool | None) -> None:
        super().__init__()
        self._is_full = disk_is_full

    async def get(self, path: str, **query: str) -> Mapping[str, Any]:
        if path != "/health" or self._is_full is None:
            raise RequestRefused(503, {"code": "stopping"})
        return {"version": "1.2", "disk": {"full": self._is_full}}


@pytest.mark.parametrize(
    ("is_full", "state", "words"),
    [(False, "ok", "used by Wakeful 1.2"), (True, "fail", "The disk is full"), (None, "fail", "it stops just now")],
)
async def test_the_database_is_checked(tmp_path: Path, is_full: bool | None, state: str, words: str) -> None:
    found = await check_database(config_of(tmp_path), cast(Client, Health(is_full)))

    assert (found.name, found.state) == ("database", state)
    assert words in found.message
    postgres = config_of(tmp_path, WAKEFUL_DATABASE_URL="postgresql://localhost/w")
    if state == "ok":
        assert found.message.startswith("SQLite ")
        told = await check_database(postgres, cast(Client, Health(False)))
        assert told.message == "PostgreSQL, used by Wakeful 1.2"


@pytest.mark.parametrize("check", [check_cron, partial(check_mcp, server=McpServerSettings("made", command="true"))])
async def test_a_server_that_refuses_for_another_reason_is_not_older(tmp_path: Path, check: Any) -> None:
    how = {"is_served": True} if check is check_cron else {}

    with pytest.raises(RequestRefused):
        await check(config_of(tmp_path), cast(Client, Health(None)), **how)


def mcp_server(**more: Any) -> Client:
    return server(servers=[{"name": "made", "state": "ready", "tools": [1], "error": ""} | more])


@pytest.mark.parametrize(
    ("more", "settings", "expected"),
    [
        ({}, {"enabled": False}, CheckResult.ok("mcp:made", "disabled")),
        ({}, {}, CheckResult.ok("mcp:made", "ready, 1 tool")),
        ({"tools": [1, 2]}, {}, CheckResult.ok("mcp:made", "ready, 2 tools")),
        ({"state": "idle", "tools": []}, {}, CheckResult.ok("mcp:made", "it starts with the next turn")),
        ({"state": "idle"}, {}, CheckResult.ok("mcp:made", "idle, 1 tool")),
        ({"tools": []}, {}, CheckResult.ok("mcp:made", "ready, 0 tools")),
        (
            {"state": "failed", "error": "It\nended"},
            {"command": "no-such-program"},
            CheckResult.fail("mcp:made", "It is not ready: It ended."),
        ),
        (
            {"error": "odd"},
            {"command": "no-such-program"},
            CheckResult.fail("mcp:made", "no-such-program is not installed, or not in the server's path."),
        ),
        ({"error": "It is\nslow"}, {}, CheckResult.warn("mcp:made", "It is slow.")),
        (
            {"name": "other"},
            {},
            CheckResult.warn("mcp:made", "The running server does not know it: restart it with wakeful serve."),
        ),
    ],
)
async def test_mcp_servers_are_checked(
    tmp_path: Path, more: dict[str, Any], settings: dict[str, Any], expected: CheckResult
) -> None:
    made = replace(McpServerSettings("made", command="true"), **settings)
    answers = AnsweredMcp(mcp_server(**more))

    assert await check_mcp(config_of(tmp_path), cast(Client, answers), server=made) == expected


class AnsweredMcp:
    """Its servers are at /api/mcp."""

    def __init__(self, known: Client) -> None:
        self._known = known

    async def get(self, path: str) -> Mapping[str, Any]:
        assert path == "/api/mcp"
        return await self._known.get("/api/servers")


async def test_mcp_servers_need_their_package_and_a_server_that_knows_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = McpServerSettings("made", command="true")
    older = await check_mcp(config_of(tmp_path), server(), server=made)
    monkeypatch.setattr(mcp_checks, "find_spec", lambda name: None)

    assert older.message.startswith("The running server does not know it")
    missing = await check_mcp(config_of(tmp_path), mcp_server(), server=made)
    assert missing == CheckResult.fail("mcp:made", "Its package is missing: install wakeful[mcp].")


async def test_an_endpoint_that_lists_nothing_in_time_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hang(models: Any) -> Any:
        await asyncio.Event().wait()

    monkeypatch.setattr(provider_checks, "_PATIENCE_SECONDS", 0.01)
    monkeypatch.setattr(EndpointModels, "list_models", hang)
    toml = 'model = "local:x"\n[providers.local]\nbase_url = "http://127.0.0.1:1/v1"\n'

    async with asyncio.timeout(10):
        (found,) = await check_providers(config_of(tmp_path, toml), is_online=True)

    assert found == CheckResult.fail("provider:local", "http://127.0.0.1:1/v1 listed no models within 0.01 s.")


async def test_a_model_that_sums_up_is_in_use_too(tmp_path: Path) -> None:
    found = await check_providers(config_of(tmp_path, WAKEFUL_COMPACT_MODEL="openai:small"), is_online=False)

    assert [(result.name, result.state) for result in found] == [("provider:openai", "warn")]


async def test_only_schedules_that_are_active_can_be_late(tmp_path: Path) -> None:
    jobs = [a_job(-300.0, status="paused"), a_job(-60.0, name="")]

    assert (await check_cron(config_of(tmp_path), server(cron=jobs), is_served=True)).message == "1 active"
    late = await check_cron(config_of(tmp_path), server(cron=[a_job(-300.0, name="")]), is_served=True)
    assert late.message.startswith("job_1 should have run at ")


async def test_a_refusal_without_a_reason_says_so(tmp_path: Path) -> None:
    found = await check_outbox(config_of(tmp_path), server(outbox=[{"platform": "slack", "error": ""}]))

    assert found.message == "1 posts were refused, the newest to slack: no reason was given"
