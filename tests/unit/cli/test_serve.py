"""`wakeful serve`: what it says at its start, and what watches over its end."""

import asyncio
import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.building.kit import KEY, config_in
from wakeful.cli import serve as module
from wakeful.cli.serve import _serve, greeting
from wakeful.config.load import load_config
from wakeful.tools.mcp.servers import McpServers

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


class Terminal:
    """Where it prints."""

    def __init__(self, *, is_terminal: bool = False) -> None:
        self.words = ""
        self.has_greeted = asyncio.Event()
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal

    def echo(self, words: str) -> None:
        self.words += f"{words}\n"
        if "page" in words or "once" in words:
            self.has_greeted.set()


@pytest.fixture
def signals() -> Iterator[None]:
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("signals")
@pytest.mark.parametrize("is_terminal", [True, False])
async def test_only_the_end_has_a_time_limit_and_only_a_terminal_gets_a_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_terminal: bool
) -> None:
    limits: list[tuple[float, bool]] = []
    terminal = Terminal(is_terminal=is_terminal)
    monkeypatch.setattr("faulthandler.dump_traceback_later", lambda wait, exit: limits.append((wait, exit)))
    monkeypatch.setattr("click.echo", terminal.echo)
    monkeypatch.setattr("sys.stdout", terminal)
    monkeypatch.setattr(module, "_spare_the_collector", lambda: None)
    prepared: list[McpServers] = []
    monkeypatch.setattr(McpServers, "prepare", lambda servers: prepared.append(servers))
    config = config_in(tmp_path, STOP_GRACE_SECONDS="3")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        serving = asyncio.create_task(_serve(config, KEY, listener))
        await asyncio.wait_for(terminal.has_greeted.wait(), 10)
        limits_before, is_found = limits.copy(), (tmp_path / "wakeful.sock").is_socket()
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.wait_for(serving, 10)

    assert (limits_before, is_found, limits) == ([], True, [(7.5, True)])
    assert not (tmp_path / "wakeful.sock").exists()
    assert len(prepared) == 1
    assert ("Open it with http://127.0.0.1:" in terminal.words) == is_terminal
    assert ("Run wakeful login" in terminal.words) == (not is_terminal)
