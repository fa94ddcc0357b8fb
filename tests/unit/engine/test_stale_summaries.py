"""Which summaries go with a message that is deleted, and where the context begins then. The turns t1, t2 and t3 follow
each other; a message is deleted in t2, at step 3.
"""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from tests.store.nouns import a_turn, an_input
from wakeful.engine.stale_summaries import drop_summaries_of
from wakeful.model.journal.entry import Entry, input_entry, is_gone, summary_entry, without_words
from wakeful.model.journal.message import Usage
from wakeful.model.journal.summary import CompactionReason, Summary
from wakeful.model.turn import Turn

TURNS = [a_turn("t1"), a_turn("t2", parent="t1"), a_turn("t3", parent="t2")]
DELETED = input_entry("t2", 3, 2, {"source": "user", "message_id": "", "text": "secret"})


def a_summary(turn_id: str, step: int, keeps_from: str = "") -> Entry:
    summary = Summary("short", keeps_from, (), (), (), CompactionReason.AUTO, 1_000, 50, "m", Usage())
    return summary_entry(turn_id, step, summary)


class Records:
    """What a transaction reads of these turns, and what it writes."""

    def __init__(self, *summaries: Entry, turns: Sequence[Turn] = TURNS) -> None:
        self.replaced: list[Entry] = []
        self.contexts: list[tuple[list[str], str | None]] = []
        self._turns = {turn.id: turn for turn in turns}
        self._summaries = summaries
        self.turns = SimpleNamespace(get=self._turn, grown_from=self._grown, begin_context=self._begin)
        self.journal = SimpleNamespace(summaries_of=self._summaries_of, replace=self._replace)

    async def _turn(self, turn_id: str) -> Turn | None:
        return self._turns.get(turn_id)

    async def _grown(self, turn_id: str) -> list[str]:
        names = [turn.id for turn in TURNS]
        return names[names.index(turn_id) :]

    async def _summaries_of(self, turn_ids: Sequence[str]) -> list[Entry]:
        return [entry for entry in self._summaries if entry.turn_id in turn_ids]

    async def _replace(self, entry: Entry) -> None:
        assert is_gone(entry)
        self.replaced.append(entry)

    async def _begin(self, turn_ids: list[str], first: str | None) -> None:
        self.contexts.append((turn_ids, first))


async def dropped(records: Records, deleted: Entry = DELETED) -> list[tuple[str, int]]:
    tx: Any = records
    await drop_summaries_of(tx, deleted)
    return [(entry.turn_id, entry.step) for entry in records.replaced]


@pytest.mark.parametrize(
    ("summary", "is_stale"),
    [
        # It was made before the message.
        (a_summary("t2", 2), False),
        (a_summary("t2", 2, "t2.1.0"), False),
        # It stands for all before it, or for all before the message that it keeps.
        (a_summary("t2", 4), True),
        (a_summary("t2", 4, "t2.3.3"), True),
        (a_summary("t2", 4, "t2.4.0"), True),
        (a_summary("t2", 4, "t2.3.2"), False),
        (a_summary("t2", 4, "t2.3.1"), False),
        (a_summary("t2", 4, "t1.9.9"), False),
        # So do those of later turns, whatever their step.
        (a_summary("t3", 1), True),
        (a_summary("t3", 2, "t3.0.0"), True),
        (a_summary("t3", 2, "t2.3.3"), True),
        (a_summary("t3", 2, "t2.3.2"), False),
        (a_summary("t3", 2, "t1.0.0"), False),
        # It is deleted already.
        (without_words(a_summary("t3", 2)), False),
    ],
)
async def test_a_summary_goes_if_it_stands_for_the_message(summary: Entry, is_stale: bool) -> None:
    records = Records(summary)

    assert await dropped(records) == ([(summary.turn_id, summary.step)] if is_stale else [])
    assert len(records.contexts) == is_stale


async def test_each_summary_that_goes_leaves_the_turns_after_it_the_context_before_the_message() -> None:
    records = Records(a_summary("t2", 4), a_summary("t3", 2), a_summary("t3", 5, "t1.0.0"))

    assert await dropped(records) == [("t2", 4), ("t3", 2)]
    assert records.contexts == [(["t2", "t3"], None), (["t3"], None)]


@pytest.mark.parametrize(
    ("summaries", "first"),
    [
        ([a_summary("t2", 1, "t1.0.0"), a_summary("t2", 2, "t2.0.0")], "t2"),
        ([a_summary("t2", 1, "t2.0.0"), a_summary("t2", 2, "t1.0.0")], "t1"),
        ([a_summary("t2", 2, "t1.0.0")], "t1"),
        ([a_summary("t3", 1, "t3.0.0")], "t0"),
    ],
)
async def test_the_context_begins_with_the_last_summary_before_the_message_or_as_that_of_the_turn_before(
    summaries: list[Entry], first: str
) -> None:
    turns = [a_turn("t1", context_turn="t0"), *TURNS[1:]]
    records = Records(*summaries, a_summary("t3", 4), turns=turns)

    await dropped(records)

    assert {begins for _, begins in records.contexts} == {first}


@pytest.mark.parametrize("turns", [[], TURNS[1:]])
async def test_without_a_turn_before_the_context_begins_at_the_beginning(turns: list[Turn]) -> None:
    records = Records(a_summary("t3", 4), turns=turns)

    assert await dropped(records) == [("t3", 4)]
    assert records.contexts == [(["t3"], None)]


async def test_the_first_turn_has_none_before_it() -> None:
    records = Records(a_summary("t3", 4))

    assert await dropped(records, an_input("t1", "secret")) == [("t3", 4)]
    assert records.contexts == [(["t3"], None)]
