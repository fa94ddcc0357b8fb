"""Databases that cannot be used: each gets one sentence, nothing is lost, and all works when the cause is gone."""

import os
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.acceptance.command import Command, Finished
from tests.endpoint import Endpoint, Script

# Everything is loaded first: the interpreter's own files may be out of reach for another user.
_AS_NOBODY = """
import os, uvloop, wakeful.cli.ask, wakeful.cli.key, wakeful.cli.serve
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
"""


def _with_room_for(size: int) -> str:
    """Python ignores SIGXFSZ, so that a write beyond the limit is an error, as on a full disk."""
    return f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))"


def assert_one_sentence(finished: Finished, *words: str, code: int = 1) -> None:
    assert finished.code == code
    last = finished.err.splitlines()[-1]
    assert last.startswith("wakeful: ")
    assert all(word in last for word in words), last
    assert "Traceback" not in finished.err


@pytest.fixture
def used(wakeful: Command) -> Command:
    """A home with a database of this version."""
    wakeful.home.mkdir(mode=0o700)
    return wakeful


async def test_a_database_of_a_newer_version_is_left_alone(used: Command) -> None:
    with closing(sqlite3.connect(used.home / "wakeful.db")) as connection:
        connection.execute("PRAGMA user_version = 9999")

    finished = await used.run("ask", "hi")

    assert_one_sentence(finished, "newer Wakeful", "9999")
    with closing(sqlite3.connect(used.home / "wakeful.db")) as connection:
        assert connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)


async def test_a_file_that_is_no_database_is_left_alone(used: Command) -> None:
    (used.home / "wakeful.db").write_text("a shopping list, and not a short one " * 100)

    finished = await used.run("ask", "hi")

    assert_one_sentence(finished, "is not a usable SQLite database")
    assert (used.home / "wakeful.db").read_text().startswith("a shopping list")


async def test_a_database_that_only_others_may_write_is_refused(used: Command) -> None:
    await used.run("ask", "list files")
    for path in used.home.iterdir():
        path.chmod(0o444)
    # The folder is open, the files are not.
    used.home.chmod(0o777)
    _open_parents(used.home)

    finished = await used.run("ask", "hi", before=_AS_NOBODY)

    assert_one_sentence(finished, "wakeful.db cannot be written")


async def test_a_home_that_only_others_may_write_is_refused(used: Command) -> None:
    used.home.chmod(0o555)
    _open_parents(used.home)

    finished = await used.run("ask", "hi", before=_AS_NOBODY)

    assert_one_sentence(finished, str(used.home), "cannot be written", "WAKEFUL_HOME", code=2)


async def test_a_home_that_cannot_be_made_is_refused(wakeful: Command) -> None:
    _open_parents(wakeful.home)

    wakeful = replace(wakeful, home=wakeful.folder / "new")

    finished = await wakeful.run("serve", before=_AS_NOBODY)

    assert_one_sentence(finished, str(wakeful.home), "cannot be made", "WAKEFUL_HOME", code=2)


async def test_settings_that_only_others_may_read_are_refused(used: Command) -> None:
    (used.home / "config.toml").touch(mode=0o000)
    used.home.chmod(0o777)
    _open_parents(used.home)

    finished = await used.run("ask", "hi", before=_AS_NOBODY)

    assert_one_sentence(finished, "config.toml cannot be read", code=2)


async def test_a_disk_that_is_full_from_the_start_is_reported(used: Command) -> None:
    finished = await used.run("ask", "hi", before=_with_room_for(4096))

    assert_one_sentence(finished, "is full", "free some room")
    assert (await used.run("ask", "list files")).code == 0


async def test_a_disk_that_fills_in_the_middle_of_an_answer_ends_it_with_a_sentence(used: Command) -> None:
    await used.run("ask", "list files")
    async with Endpoint(Script(tokens=200_000)) as endpoint:
        asking = used.having(WAKEFUL_MODEL="openai:scripted", OPENAI_BASE_URL=endpoint.url)

        finished = await asking.run("ask", "hi", before=_with_room_for(400_000))

    assert_one_sentence(finished, "is full", "free some room")
    assert finished.out.startswith("token0 ")
    assert (await used.run("ask", "list files")).code == 0


async def test_a_missing_postgres_server_is_reported_without_the_password(wakeful: Command) -> None:
    wakeful = wakeful.having(WAKEFUL_DATABASE_URL="postgresql://me:hunter2@127.0.0.1:1/wakeful")

    finished = await wakeful.run("ask", "hi")

    assert_one_sentence(finished, "cannot be reached")
    assert "hunter2" not in finished.err


def _open_parents(home: Path) -> None:
    """Let another user reach the folder."""
    for parent in home.parents:
        if parent.stat().st_uid == os.geteuid() and parent.name.startswith(("pytest-", "test_", "popen-")):
            parent.chmod(0o755)
