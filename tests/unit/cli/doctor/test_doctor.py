"""`wakeful doctor` as a command: its lines, its JSON and its exit code."""

from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import CliRunner, Result

from tests.unit.cli.scripted_server import ScriptedServer, Typist
from wakeful.cli.client import RequestRefused
from wakeful.cli.doctor import doctor as module
from wakeful.cli.doctor.doctor import doctor
from wakeful.cli.doctor.result import CheckResult
from wakeful.config.config import Config


def run_doctor(home: Path, *options: str, **settings: str) -> Result:
    environment = {"WAKEFUL_HOME": str(home), "WAKEFUL_PORT": "0", **settings}
    return CliRunner().invoke(doctor, options, env=environment, standalone_mode=False)


def test_a_healthy_home_is_found_healthy(tmp_path: Path) -> None:
    result = run_doctor(tmp_path / "home", "--json")

    checks = {check["name"]: check["state"] for check in orjson.loads(result.stdout)["checks"]}
    assert result.return_value == 0
    assert {"home": "ok", "model": "warn", "port": "ok", "database": "ok", "hooks": "ok"}.items() <= checks.items()
    assert checks["search"] == "ok"


def test_one_failure_does_not_keep_the_others_from_being_checked(tmp_path: Path) -> None:
    result = run_doctor(tmp_path, WAKEFUL_MODEL="nobody:x")

    assert result.return_value == 1
    assert "model: failed: WAKEFUL_MODEL: The model 'nobody:x'" in result.stdout
    assert "database: ok (SQLite" in result.stdout


def test_settings_that_cannot_be_read_are_a_finding_too(tmp_path: Path) -> None:
    result = run_doctor(tmp_path, WAKEFUL_PORT="x")

    assert (result.return_value, result.stdout) == (
        1,
        "settings: failed: WAKEFUL_PORT must be a whole number from 0 to 65535, not 'x'.\n",
    )


def test_a_database_that_cannot_be_opened_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "wakeful.db").write_text("This is no database, and it is longer than the header of one would be.")

    result = run_doctor(tmp_path)

    assert result.return_value == 1
    assert "database: failed: " in result.stdout
    assert "hooks: ok (none)" in result.stdout


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Ask no platform and no endpoint; return whether endpoints were to be asked."""
    online: list[bool] = []

    async def no_platforms(config: Config) -> list[CheckResult]:
        return [CheckResult.ok("telegram", "asked")]

    async def no_providers(config: Config, *, is_online: bool) -> list[CheckResult]:
        online.append(is_online)
        return []

    monkeypatch.setattr(module, "check_platforms", no_platforms)
    monkeypatch.setattr(module, "check_providers", no_providers)
    return online


def known(**more: Any) -> ScriptedServer:
    answers = {
        "GET /health": {"version": "1.2", "disk": {"full": False}},
        "GET /api/cron": {"jobs": []},
        "GET /api/pairings": {"pairings": []},
        "GET /api/outbox": {"posts": []},
        "GET /api/platforms": {"platforms": []},
        "GET /api/mcp": {"servers": []},
    }
    return ScriptedServer(answers | more)


@pytest.mark.parametrize("is_served", [True, False])
def test_everything_is_checked_in_its_order(
    typist: Typist, offline: list[bool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_served: bool
) -> None:
    monkeypatch.setenv("WAKEFUL_TELEGRAM_TOKEN", "123456:abcdefghijklmnop")
    monkeypatch.setattr(module, "is_answered", lambda path: is_served)
    (tmp_path / "config.toml").write_text('[mcp.made]\ncommand = "true"\n')

    lines = typist.run(doctor, known(), "--online").output.splitlines()

    names = [line.partition(": ")[0] for line in lines]
    of_settings = ["home", "model", "spend", "skills", "port", "sandbox", "search"]
    of_server = ["database", "cron", "people", "outbox", *(["doors"] if is_served else []), "mcp:made"]
    assert names == [*of_settings, *of_server, "telegram", "hooks"]
    assert offline == [True]


def test_a_check_that_is_refused_keeps_no_other_from_being_made_and_shows_no_secret(
    typist: Typist, offline: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-hunter2hunter2")

    class Refusing(ScriptedServer):
        async def get(self, path: str, **query: str | int) -> dict[str, Any]:
            if path == "/api/cron":
                raise RequestRefused(500, {"message": "sk-hunter2hunter2 is wrong."})
            return await super().get(path, **query)

    checked = typist.run(doctor, Refusing({"GET /health": {"version": "1.2", "disk": {"full": False}}}))

    assert checked.return_value == 1
    assert "cron: failed: *** is wrong." in checked.output
    assert "database: ok" in checked.output
    assert checked.output.endswith("hooks: ok (none)\n")
    assert offline == [False]


@pytest.mark.usefixtures("offline")
def test_warnings_are_no_failure(typist: Typist) -> None:
    checked = typist.run(doctor, known())

    assert "model: warning" in checked.output
    assert checked.return_value == 0
