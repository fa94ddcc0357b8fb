"""kill -9 in every phase of a compaction: the end is the same as without, and no recorded summary is made again."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.acceptance.compaction_walk import DEATH_IN_SUMMARY, PARTS, SESSION
from tests.acceptance.ledger import Ledger
from tests.acceptance.walks import Case, NewCase, Walker, store_at
from wakeful.model import event as events
from wakeful.model.event import Event
from wakeful.model.journal.entry import Entry, EntryKind
from wakeful.model.turn import TurnStatus
from wakeful.store.base import Transaction

pytestmark = pytest.mark.timeout(600)


@dataclass(frozen=True, slots=True)
class State:
    """What a process has left behind."""

    entries: list[Entry]
    log: list[Event]
    statuses: set[TurnStatus]
    # After which commits the model was asked for a summary, and the texts that it read in each other request.
    asked_after: list[int]
    requests: list[str]
    commits: int

    @property
    def outline(self) -> list[tuple[EntryKind, str]]:
        return [(entry.kind, entry.data.get("text") or entry.data.get("words", "")) for entry in self.entries]

    @property
    def asked(self) -> int:
        return len(self.asked_after)

    @property
    def recorded(self) -> int:
        return sum(entry.kind is EntryKind.SUMMARY for entry in self.entries)


@pytest.fixture(scope="module")
def walker() -> Iterator[Walker]:
    with Walker("tests.acceptance.compaction_walk") as walker:
        yield walker


def test_the_walk_has_two_summaries(new_case: NewCase, walker: Walker) -> None:
    [whole] = walk_to_the_end(walker, new_case())

    assert (whole.recorded, whole.asked) == (2, 2)
    assert [text.count("The log was read up to part") for text in whole.requests[-1:]] == [1]
    results = [entry.data["text"] for entry in whole.entries if entry.kind is EntryKind.RESULT]
    assert [text.partition(":")[0] for text in results] == [f"part {number}" for number in range(1, PARTS + 1)]


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_kill_at_any_commit_of_a_compaction_comes_to_the_same_end(
    store: str, new_case: NewCase, walker: Walker, moment: str, soak: bool
) -> None:
    [whole] = walk_to_the_end(walker, new_case())

    # Of each compaction: its beginning, its summary, and what follows; on PostgreSQL, which is slow, the second one.
    around = [number + offset for number in whole.asked_after for offset in range(3)]
    some = {"sqlite": around, "postgres": around[3:]}[store]
    for number in range(2, whole.commits + 1) if soak else some:
        [killed, end] = walk_to_the_end(walker, new_case(f"{moment} {number}"))
        assert (end.outline, end.requests[-1]) == (whole.outline, whole.requests[-1])
        # What was not recorded is asked for again, what was recorded is not.
        assert end.asked - killed.asked == end.recorded - killed.recorded
        assert 0 <= killed.asked - killed.recorded <= 1


def test_a_kill_while_the_model_sums_up_comes_to_the_same_end(new_case: NewCase, walker: Walker) -> None:
    [whole] = walk_to_the_end(walker, new_case())
    [killed, end] = walk_to_the_end(walker, new_case(DEATH_IN_SUMMARY))

    assert (killed.asked, killed.recorded, end.asked, end.recorded) == (1, 0, 3, 2)
    assert (end.outline, end.requests[-1]) == (whole.outline, whole.requests[-1])
    kinds = [event.kind for event in end.log]
    assert kinds.count(events.COMPACTION_STARTED) == 3
    assert kinds.count(events.COMPACTION_DONE) == 2


def walk_to_the_end(walker: Walker, case: Case) -> list[State]:
    """Walk, and again after every death; returns what was left after each death and at the end."""
    states: list[State] = []
    exit_code = None
    while exit_code != 0:
        exit_code = walker.walk(case)
        states.append(asyncio.run(_state(case)))
        assert exit_code in (0, -9), f"its files are in {case.folder}"
    assert states[-1].statuses == {TurnStatus.DONE}
    assert [event.session_seq for event in states[-1].log] == list(range(1, len(states[-1].log) + 1))
    return states


async def _state(case: Case) -> State:
    ledger = Ledger(Path(case.folder))

    async def body(tx: Transaction) -> tuple[list[Entry], list[Event], set[TurnStatus]]:
        session = await tx.sessions.get(SESSION)
        newest = None if session is None else session.active or session.head
        entries = [] if newest is None else await tx.journal.of_chain(newest)
        statuses = {turn.status for turn in await tx.turns.recent(SESSION, 100)}
        return entries, await tx.events.of_session(SESSION, 0, 1_000), statuses

    store = store_at(case.database)
    await store.open()
    try:
        entries, log, statuses = await store.read(body)
    finally:
        await store.close()
    asked = [int(line) for line in ledger.lines("summaries")]
    return State(entries, log, statuses, asked, ledger.lines("requests"), len(ledger.lines("commits")))
