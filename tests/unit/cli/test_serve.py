"""What `wakeful serve` says at its start."""

import socket
from pathlib import Path

import pytest

from wakeful.cli.serve import greeting
from wakeful.config.load import load_config

_NAMES = "Other machines can use it only by the names that WAKEFUL_HOSTS lists."


@pytest.mark.parametrize(
    ("host", "settings", "is_warned"),
    [
        ("127.0.0.1", {}, False),
        ("0.0.0.0", {}, True),
        ("0.0.0.0", {"WAKEFUL_HOSTS": "box.lan"}, False),
        ("0.0.0.0", {"WAKEFUL_PUBLIC_URL": "https://wakeful.example.org"}, False),
    ],
)
def test_it_says_where_it_is_who_can_reach_it_and_where_the_key_is(
    tmp_path: Path, host: str, settings: dict[str, str], is_warned: bool
) -> None:
    config = load_config({"WAKEFUL_HOME": str(tmp_path), **settings})
    with socket.create_server((host, 0)) as listener:
        lines = greeting(config, listener)
        where = f"Wakeful is at http://{host}:{listener.getsockname()[1]}"

    key = f"The key is in {tmp_path / 'key'}; wakeful key prints it."
    assert lines == [where, *([_NAMES] if is_warned else []), key]
