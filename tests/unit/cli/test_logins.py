"""`wakeful logins` and `wakeful login`: the browsers that are logged in, and a link for another one."""

from pathlib import Path

import click
import orjson
import pytest

from tests.unit.cli.lists.test_login_list import row
from tests.unit.cli.scripted_server import ScriptedServer, Typist
from wakeful.cli import login as login_module
from wakeful.cli.login import login
from wakeful.cli.logins import logins
from wakeful.errors import ConfigError, LoginNotFound


def logged_in(*ids: str, ended: int = 1) -> ScriptedServer:
    rows = [row(id=login_id) for login_id in ids]
    return ScriptedServer({"GET /api/logins": {"logins": rows}, "DELETE /api/logins": {"ended": ended}})


def test_logins_are_listed_as_lines_or_as_json(typist: Typist) -> None:
    server = logged_in("login_1", "login_2")

    assert [line.split()[0] for line in typist.run(logins, server).output.splitlines()] == ["ID", "login_1", "login_2"]
    assert len(orjson.loads(typist.run(logins, server, "--json").output)) == 2
    assert typist.run(logins, logged_in()).output == "No browser is logged in.\n"
    assert server.changes() == []


@pytest.mark.parametrize(
    ("words", "carried", "ended", "said"),
    [
        (["2"], {"id": "login_2"}, 1, "1 browser is logged out.\n"),
        (["--all"], {"others": "true"}, 2, "2 browsers are logged out.\n"),
        (["--all"], {"others": "true"}, 0, "0 browsers are logged out.\n"),
    ],
)
def test_one_or_all_are_logged_out(
    typist: Typist, words: list[str], carried: dict[str, str], ended: int, said: str
) -> None:
    server = logged_in("login_1", "login_2", ended=ended)

    assert typist.run(logins, server, "revoke", *words).output == said
    assert server.changes() == [("DELETE /api/logins", carried)]


def test_an_unknown_login_is_not_logged_out(typist: Typist) -> None:
    server = logged_in("login_1")

    assert isinstance(typist.run(logins, server, "revoke", "9").exception, LoginNotFound)
    assert server.changes() == []


@pytest.mark.parametrize("words", [["revoke"], ["revoke", "1", "--all"], ["--all"], ["end", "1"], ["revoke", "1", "2"]])
def test_what_cannot_be_meant_logs_nobody_out(typist: Typist, words: list[str]) -> None:
    server = logged_in("login_1")

    assert isinstance(typist.run(logins, server, *words).exception, click.UsageError)
    assert server.asked == []


def test_a_link_is_asked_of_the_running_server(typist: Typist, monkeypatch: pytest.MonkeyPatch) -> None:
    server = ScriptedServer({"POST /api/login/link": {"url": "http://here/login#x"}})
    monkeypatch.setattr(login_module, "is_answered", lambda path: True)
    monkeypatch.setattr(login_module, "Client", lambda *where: server)

    assert typist.run(login, server).output == "http://here/login#x\n"
    assert typist.run(login, server, "--as", "ann").output == "http://here/login#x\n"
    assert [carried for _, carried in server.asked] == [{}, {"as": "ann"}]


def test_without_a_server_there_is_no_link(typist: Typist, tmp_path: Path) -> None:
    refused = typist.run(login, ScriptedServer({}))

    assert isinstance(refused.exception, ConfigError)
    assert str(refused.exception) == f"No server runs with the home {tmp_path}: start one with wakeful serve."
