"""`wakeful doctor` as a command: its lines, its JSON and its exit code."""

from pathlib import Path

import orjson
from click.testing import CliRunner, Result

from wakeful.cli.doctor.doctor import doctor


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
