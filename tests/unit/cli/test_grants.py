"""`wakeful grants`: what agents may do without asking, and taking it back."""

from pathlib import Path
from typing import Any

import click
import orjson
import pytest

from tests.unit.cli.scripted_server import ScriptedServer, Typist
from wakeful.cli.client import RequestRefused
from wakeful.cli.grants import grants
from wakeful.cli.plain_text import clock_time
from wakeful.errors import GrantNotFound

_USED_AT = "2026-01-05T10:00:00.000Z"


def grant(**more: Any) -> dict[str, Any]:
    base = {"id": "gnt_01aaaaaa", "words": "delete files", "scope": "folder", "session_id": None, "folder": "/srv"}
    return base | {"key": "", "expires_at": None, "last_used_at": None, "uses": 0, "example": ""} | more


IN_SESSION = grant(id="gnt_01bbbbbb", scope="session", session_id="ses_1", folder=None, words="push\x1b[2J")


def granted(*found: dict[str, Any]) -> ScriptedServer:
    return ScriptedServer({"GET /api/grants": {"grants": found}, "DELETE /api/grants": {}})


def listed(typist: Typist, **more: Any) -> list[str]:
    return typist.run(grants, granted(grant(**more))).output.splitlines()


def test_a_grant_says_what_where_until_when_and_how_often(typist: Typist) -> None:
    lines = typist.run(grants, granted(grant(), IN_SESSION)).output.splitlines()

    assert lines == [
        "aaaaaa  Calls that delete files, in /srv and below, as long as it exists",
        "        not used yet",
        "bbbbbb  Calls that push, in the session ses_1 and its sub-agents, as long as it exists",
        "        not used yet",
        "",
        "wakeful grants revoke ID takes one back, wakeful grants revoke --all takes back all.",
    ]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"key": "telegram:7"}, "in /srv and below for the chat telegram:7, as long as it exists"),
        ({"expires_at": "2026-03-08T12:00:00.000Z"}, "in /srv and below, until 8 March 2026"),
        ({"folder": str(Path.home() / "code")}, "in ~/code and below, as long as it exists"),
    ],
)
def test_its_reach_and_its_end_are_said(typist: Typist, more: dict[str, Any], words: str) -> None:
    assert listed(typist, **more)[0].endswith(words)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"uses": 1, "last_used_at": _USED_AT}, f"used once, last {clock_time(_USED_AT)}"),
        ({"uses": 1200, "last_used_at": _USED_AT}, f"used 1,200 times, last {clock_time(_USED_AT)}"),
        ({"example": "rm\n-rf /srv/x"}, "not used yet; allowed for: rm -rf /srv/x"),
        ({"example": "x" * 100}, f"not used yet; allowed for: {'x' * 100}"),
        ({"example": "x" * 101}, f"not used yet; allowed for: {'x' * 99}…"),
    ],
)
def test_its_use_and_its_example_are_said(typist: Typist, more: dict[str, Any], words: str) -> None:
    assert listed(typist, **more)[1] == f"        {words}"


def test_without_grants_it_says_so(typist: Typist) -> None:
    assert typist.run(grants, granted()).output.startswith("Nothing is allowed for longer than one call")
    assert orjson.loads(typist.run(grants, granted(IN_SESSION), "--json").output) == [IN_SESSION]


def test_only_the_named_grant_is_revoked(typist: Typist) -> None:
    server = granted(grant(), IN_SESSION)

    revoked = typist.run(grants, server, "revoke", "bbbbbb")

    assert revoked.output == (
        "Revoked: calls that push are asked about again in the session ses_1 and its sub-agents.\n"
    )
    assert server.changes() == [("DELETE /api/grants", {"id": "gnt_01bbbbbb"})]


def test_all_of_them_are_revoked_on_request(typist: Typist) -> None:
    server = granted(grant(), IN_SESSION)

    revoked = typist.run(grants, server, "revoke", "--all")

    assert len(revoked.output.splitlines()) == 2
    assert [carried["id"] for _, carried in server.changes()] == ["gnt_01aaaaaa", "gnt_01bbbbbb"]
    assert typist.run(grants, granted(), "revoke", "--all").output == "There is nothing to revoke.\n"


def test_a_grant_that_is_not_there_is_not_revoked(typist: Typist) -> None:
    server = granted(grant())

    refused = typist.run(grants, server, "revoke", "zzz")

    assert isinstance(refused.exception, GrantNotFound)
    assert server.changes() == []


@pytest.mark.parametrize(
    "words", [["revoke"], ["revoke", "a", "b"], ["revoke", "a", "--all"], ["--all"], ["take", "a"]]
)
def test_what_cannot_be_meant_revokes_nothing(typist: Typist, words: list[str]) -> None:
    server = granted(grant())

    refused = typist.run(grants, server, *words)

    assert isinstance(refused.exception, click.UsageError)
    assert server.asked == []


def test_what_the_server_refuses_is_not_said_to_be_revoked(typist: Typist) -> None:
    refusing = ScriptedServer({"GET /api/grants": {"grants": [grant()]}})

    refused = typist.run(grants, refusing, "revoke", "aaaaaa")

    assert isinstance(refused.exception, RequestRefused)
    assert refused.output == ""
