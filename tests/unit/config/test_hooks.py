"""The tables [[hooks]]: read, or refused with one sentence that shows no secret."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from wakeful.config.load import load_config
from wakeful.errors import ConfigError
from wakeful.gateway.hooks.hook import SignatureScheme
from wakeful.model.session import Address

_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
_GITHUB = {"name": "repo", "secret": "hunter2hunter2hunter2", "signature": "github", "message": "{action}"}
_STANDARD = _GITHUB | {"name": "builds", "secret": _SECRET, "signature": "standard"}


def write(home: Path, *hooks: Mapping[str, object]) -> dict[str, str]:
    tables = ["[[hooks]]\n" + "\n".join(f"{name} = {value!r}" for name, value in hook.items()) for hook in hooks]
    (home / "config.toml").write_text("\n".join(tables), encoding="utf-8")
    return {"WAKEFUL_HOME": str(home)}


def test_hooks_are_read_from_the_file(tmp_path: Path) -> None:
    home = write(tmp_path, _STANDARD, _GITHUB | {"deliver": "telegram:-100:7", "events": ["issues"]})

    config = load_config({**home, "WAKEFUL_TELEGRAM_TOKEN": "1:token", "WAKEFUL_HOOK_BODY_KIB": "64"})

    builds, repo = config.hooks
    assert (builds.name, builds.scheme, builds.deliver, builds.events) == (
        "builds",
        SignatureScheme.STANDARD,
        None,
        frozenset(),
    )
    assert (repo.deliver, list(repo.events)) == (Address("telegram", "-100", "7"), ["issues"])
    assert config.hook_body_kib == 64
    assert {_SECRET, _GITHUB["secret"]} <= config.secrets
    assert _SECRET not in repr(config)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"name": "a/b"}, "name must be"),
        ({"signature": "md5"}, "must be standard or github"),
        ({"secret": "short"}, "at least 16 characters"),
        ({"signature": "standard"}, "base64"),
        ({"message": " "}, "needs a message"),
        ({"deliver": "telegram"}, "write it like telegram:123456"),
        ({"deliver": "telegram:1:2:3"}, "write it like telegram:123456"),
        ({"deliver": "telegram:1"}, "telegram, which is not set up"),
        ({"events": "issues"}, "tables [[hooks]]"),
        ({"secrets": "x"}, "tables [[hooks]]"),
        ({"message": 5}, "tables [[hooks]]"),
        ({"events": [5]}, "tables [[hooks]]"),
    ],
)
def test_a_wrong_hook_is_refused_with_a_sentence(tmp_path: Path, change: dict[str, object], reason: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(write(tmp_path, _GITHUB | change))

    assert reason in str(caught.value)
    assert _GITHUB["secret"] not in str(caught.value)


@pytest.mark.parametrize("hooks", ["5", "[5]", "['name', 'secret', 'signature', 'message']"])
def test_what_is_no_table_is_no_hook(tmp_path: Path, hooks: str) -> None:
    (tmp_path / "config.toml").write_text(f"hooks = {hooks}")

    with pytest.raises(ConfigError, match=r"must be tables \[\[hooks\]\]"):
        load_config({"WAKEFUL_HOME": str(tmp_path)})


@pytest.mark.parametrize("lost", sorted(_GITHUB))
def test_every_hook_needs_all_that_makes_one(tmp_path: Path, lost: str) -> None:
    without = {name: value for name, value in _GITHUB.items() if name != lost}

    with pytest.raises(ConfigError, match="must be tables"):
        load_config(write(tmp_path, _STANDARD, without))


def test_events_are_for_github_alone_and_names_differ(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="only GitHub"):
        load_config(write(tmp_path, _STANDARD | {"events": ["x"]}))
    with pytest.raises(ConfigError, match="different name"):
        load_config(write(tmp_path, _GITHUB, _STANDARD | {"name": "Repo"}))
