"""Wrong settings, as an operator meets them: the command stops with one sentence that says what to change."""

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.acceptance.command import Command, Finished

_SECRET = "hunter2hunter2hunter2"


_WRONG_VARIABLES: list[tuple[dict[str, str], list[str]]] = [
    ({"WAKEFUL_MODEL": "nope:x"}, ["WAKEFUL_MODEL", "'nope:x'", "unknown provider", "demo", "openai"]),
    ({"WAKEFUL_MODEL": "gpt-5"}, ["WAKEFUL_MODEL", "provider:model", "'gpt-5'"]),
    ({"WAKEFUL_DATABASE_URL": f"mysql://me:{_SECRET}@db"}, ["WAKEFUL_DATABASE_URL", "postgresql://"]),
    ({"WAKEFUL_API_KEYS": _SECRET}, ["WAKEFUL_API_KEYS", "name"]),
    ({"WAKEFUL_PORT": "http"}, ["WAKEFUL_PORT", "from 0 to 65535", "'http'"]),
    ({"WAKEFUL_WAKE_BUDGET_PER_HOUR": "0"}, ["WAKEFUL_WAKE_BUDGET_PER_HOUR", "from 1", "'0'"]),
    ({"WAKEFUL_LOG_LEVEL": "loud"}, ["WAKEFUL_LOG_LEVEL", "debug, info, warning, error"]),
    ({"WAKEFUL_WORKSPACE": "/not/there"}, ["WAKEFUL_WORKSPACE", "/not/there"]),
    ({"WAKEFUL_API_KEY": f"ci={_SECRET}"}, ["WAKEFUL_API_KEY", "did you mean WAKEFUL_API_KEYS?"]),
    ({"OPENAI_BASE_URL": _SECRET}, ["OPENAI_BASE_URL", "https://"]),
    ({"OPENAI_API_KEY": f"{_SECRET} x"}, ["OPENAI_API_KEY", "ASCII"]),
]
_WRONG_FILES = [
    ('port = "x"', ["port in ", "config.toml", "from 0 to 65535"]),
    ("port = \nx = 1", ["config.toml", "is not TOML", "line 1"]),
    ('modle = "demo:wakeful"', ["config.toml", "modle", "did you mean model?"]),
    (f'[api_keys]\noperator = "{_SECRET}"', ["api_keys in ", "config.toml", "operator"]),
    ('model = "nope:x"', ["model in ", "config.toml", "unknown provider"]),
]


async def test_a_wrong_variable_stops_the_start(wakeful: Command) -> None:
    for environment, words in _WRONG_VARIABLES:
        refusal = await wakeful.having(**environment).run("ask", "hi")

        assert_refused(refusal, wakeful.home, words)


async def test_a_wrong_file_stops_the_start(wakeful: Command, tmp_path: Path) -> None:
    for number, (toml, words) in enumerate(_WRONG_FILES):
        home = tmp_path / f"home-{number}"
        home.mkdir()
        (home / "config.toml").write_text(toml)

        refusal = await replace(wakeful, home=home).run("ask", "hi")

        assert_refused(refusal, home, words)


async def test_the_server_is_as_strict(wakeful: Command) -> None:
    refusal = await wakeful.having(WAKEFUL_MODEL="nope:x").run("serve")
    assert_refused(refusal, wakeful.home, ["WAKEFUL_MODEL", "unknown provider"])
    refusal = await wakeful.run("serve", "--port", "x")
    assert_refused(refusal, wakeful.home, ["--port", "from 0 to 65535"])


def assert_refused(refusal: Finished, home: Path, words: list[str]) -> None:
    assert (refusal.code, refusal.out) == (2, "")
    assert refusal.err.startswith("wakeful: ")
    assert refusal.err.count("\n") == 1
    assert all(word in refusal.err for word in words), refusal.err
    assert _SECRET not in refusal.err
    assert not (home / "wakeful.db").exists()


async def test_the_key_can_be_printed_whatever_the_settings_are(wakeful: Command) -> None:
    finished = await wakeful.having(WAKEFUL_MODEL="nope", WAKEFUL_PORT="x").run("key")

    assert finished.code == 0
    assert finished.out.startswith("wk_")


async def test_help_and_version_need_no_home(wakeful: Command) -> None:
    wakeful = wakeful.having(WAKEFUL_HOME="/dev/null/x")

    finished = [await wakeful.run(option) for option in ("--help", "--version")]

    assert [one.code for one in finished] == [0, 0]
    assert "serve" in finished[0].out
    assert finished[1].out.startswith("wakeful ")


@pytest.mark.parametrize("arguments", [["nope"], ["ask"], ["ask", "--nope", "hi"], ["serve", "x"]])
async def test_wrong_usage_is_answered_with_the_usage(wakeful: Command, arguments: list[str]) -> None:
    finished = await wakeful.run(*arguments)

    assert finished.code == 2
    assert "Usage: wakeful" in finished.err
    assert "Traceback" not in finished.err


async def test_the_installed_program_is_the_same_command(wakeful: Command) -> None:
    process = await asyncio.create_subprocess_exec(
        Path(sys.executable).parent / "wakeful", "--version", stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()

    assert out.decode() == (await wakeful.run("--version")).out
