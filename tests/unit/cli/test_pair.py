"""`wakeful pair`: who waits, who may talk, letting in and removing; here without a running server."""

import asyncio
import time
from pathlib import Path

import orjson
import pytest
from click.testing import CliRunner, Result

from wakeful.cli.client import RequestRefused
from wakeful.cli.pair import pair
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
