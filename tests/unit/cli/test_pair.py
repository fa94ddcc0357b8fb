"""`wakeful pair`: who waits, who may talk, letting in and removing; here without a running server."""

import asyncio
import time
from pathlib import Path
from typing import Any

import orjson
import pytest
from click import UsageError
from click.testing import CliRunner, Result

from tests.unit.cli.scripted_server import ScriptedServer, Typist
from wakeful.cli.client import RequestRefused
from wakeful.cli.pair import pair
from wakeful.cli.plain_text import clock_time
from wakeful.model.messaging.pairing import Pairing
from wakeful.store.sqlite.store import SqliteStore


@pytest.fixture
def home(sqlite_path: Path) -> Path:
    """A home where one person waits."""
    asking = Pairing("telegram", "7", "Ann\x1b[31m Lee", "ABCD2345", time.time())

    async def fill() -> None:
        store = SqliteStore(sqlite_path, time.time, synchronous="OFF")
        await store.open()
        await store.write(lambda tx: tx.pairings.put(asking))
        await store.close()

    asyncio.run(fill())
    return sqlite_path.parent


def run_pair(home: Path, *words: str) -> Result:
    return CliRunner().invoke(pair, words, env={"WAKEFUL_HOME": str(home)}, standalone_mode=False)


def test_a_person_waits_is_let_in_and_removed(home: Path) -> None:
    waiting = run_pair(home)
    let_in = run_pair(home, "abcd2345")
    listed = run_pair(home)
    removed = run_pair(home, "--remove", "telegram:7")
    after = orjson.loads(run_pair(home, "--json").stdout)

    assert waiting.stdout.splitlines()[1].split()[:8] == [
        *("telegram", "7", "Ann", "Lee", "waits:", "wakeful", "pair", "ABCD2345"),
    ]
    assert let_in.stdout == "telegram 7 (Ann Lee) may talk now.\n"
    assert "telegram  7     Ann Lee  may talk" in listed.stdout
    assert removed.stdout == "telegram:7 may not talk any more.\n"
    assert after == []


@pytest.mark.parametrize(
    ("words", "reason"),
    [(["WRONG234"], "No person waits with this code"), (["--remove", "telegram:8"], "telegram:8 is not paired")],
)
def test_a_wrong_code_and_a_stranger_are_refused_with_a_sentence(home: Path, words: list[str], reason: str) -> None:
    result = run_pair(home, *words)

    assert isinstance(result.exception, RequestRefused)
    assert reason in str(result.exception)


def test_a_code_and_a_removal_do_not_go_together(home: Path) -> None:
    refused = run_pair(home, "ABCD2345", "--remove", "telegram:7")

    assert isinstance(refused.exception, UsageError)
    assert run_pair(home).stdout.count("waits: wakeful pair ABCD2345") == 1


def pairing(user: str, **more: Any) -> dict[str, Any]:
    base = {"platform": "telegram", "user_id": user, "name": "Ann", "paired": True, "code": "ABCD2345"}
    return base | {"paired_at": "2020-05-02T12:00:00.000Z", "asked_at": "2020-05-01T12:00:00.000Z"} | more


def test_those_who_wait_come_first_with_the_time_they_asked(typist: Typist) -> None:
    people = [pairing("1"), pairing("22", paired=False)]
    server = ScriptedServer({"GET /api/pairings": {"pairings": people}})

    headings, waiting, paired = typist.run(pair, server).output.splitlines()

    assert headings.split() == ["PLATFORM", "USER", "NAME", "STATE", "SINCE"]
    assert waiting.endswith(f"waits: wakeful pair ABCD2345  {clock_time('2020-05-01T12:00:00.000Z')}")
    assert paired.endswith(f"may talk                      {clock_time('2020-05-02T12:00:00.000Z')}")
    assert headings.index("NAME") == waiting.index("Ann") == paired.index("Ann")
    assert orjson.loads(typist.run(pair, server, "--json").output) == people


def test_without_people_it_says_how_they_come(typist: Typist) -> None:
    said = typist.run(pair, ScriptedServer({"GET /api/pairings": {"pairings": []}})).output

    assert said.startswith("No one is paired or waits to be.")


def test_a_name_with_a_slash_is_still_one_person(typist: Typist) -> None:
    server = ScriptedServer({"DELETE /api/pairings/slack:T%2FU": {}})

    assert typist.run(pair, server, "--remove", "slack:T/U").output == "slack:T/U may not talk any more.\n"


def test_a_removal_that_is_refused_is_not_said_to_be_done(typist: Typist) -> None:
    refused = typist.run(pair, ScriptedServer({}), "--remove", "telegram:8")

    assert isinstance(refused.exception, RequestRefused)
    assert refused.output == ""
