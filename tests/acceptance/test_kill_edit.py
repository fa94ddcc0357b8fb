"""kill -9 at any instant of an edit and of an undo: files are whole, and the end is the same as without."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from tests.acceptance.edit_walk import AFTER, BEFORE, MADE, SESSION
from tests.acceptance.ledger import Ledger
from tests.acceptance.walks import Case, NewCase, Walker, store_at
from wakeful.model.journal.entry import Entry, EntryKind
from wakeful.store.base import Transaction

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def walker() -> Iterator[Walker]:
    with Walker("tests.acceptance.edit_walk") as walker:
        yield walker


def test_a_kill_around_any_write_of_a_file_comes_to_the_same_end(new_case: NewCase, walker: Walker, store: str) -> None:
    whole = new_case()
    assert walk_to_the_end(walker, whole) == 1
    # The copy of what stood there, both files, and the one that is put back.
    assert len(Ledger(Path(whole.folder)).lines("files")) == 4

    for number in {"sqlite": (1, 2, 3, 4), "postgres": (2, 4)}[store]:
        for moment in ("before", "after"):
            assert walk_to_the_end(walker, new_case(f"{moment} a file {number}")) == 2


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_kill_at_any_commit_comes_to_the_same_end(
    new_case: NewCase, walker: Walker, store: str, moment: str, soak: bool
) -> None:
    whole = new_case()
    walk_to_the_end(walker, whole)
    commits = len(Ledger(Path(whole.folder)).lines("commits"))

    # On PostgreSQL, which is slow, some of the edits and of the undo.
    some = {"sqlite": range(2, commits + 1), "postgres": (4, 9)}[store]
    for number in range(2, commits + 1) if soak else some:
        assert walk_to_the_end(walker, new_case(f"{moment} {number}")) == 2


def walk_to_the_end(walker: Walker, case: Case) -> int:
    """Walk, and again after every death; returns how many processes it took."""
    folder = Path(case.folder) / "folder"
    processes, exit_code = 0, None
    while exit_code != 0:
        exit_code = walker.walk(case)
        processes += 1
        assert exit_code in (0, -9), f"its files are in {case.folder}"
        assert (folder / "a.txt").read_text() in (BEFORE, AFTER)
        assert not (folder / "b.txt").exists() or (folder / "b.txt").read_text() == MADE
    assert (folder / "a.txt").read_text() == BEFORE
    assert not (folder / "b.txt").exists()
    results = [entry for entry in asyncio.run(_journal(case)) if entry.kind is EntryKind.RESULT]
    assert sorted(entry.data["text"].split("\n")[0] for entry in results) == [
        "Changed a.txt: +1 -1.",
        "Wrote 4 bytes to b.txt (created, +1 -0).",
    ]
    assert all(change["undone"] for entry in results for change in entry.data["changes"])
    *_, remark, last = orjson.loads(Ledger(Path(case.folder)).lines("requests")[-1])
    assert (remark in ("[Undone: a.txt, b.txt]", "[Undone: b.txt, a.txt]"), last) == (True, "And now?")
    return processes


async def _journal(case: Case) -> list[Entry]:
    async def body(tx: Transaction) -> list[Entry]:
        session = await tx.sessions.get(SESSION)
        assert session is not None
        assert session.head is not None
        return await tx.journal.of_chain(session.head)

    store = store_at(case.database)
    await store.open()
    try:
        return await store.read(body)
    finally:
        await store.close()
