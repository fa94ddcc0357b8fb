"""A turn's model reads the fold of its whole conversation, however much of it was cached."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.store.nouns import a_turn, an_input, have_session
from wakeful.engine.inbox.assignment import Assignment
from wakeful.engine.stale_summaries import drop_summaries_of
from wakeful.engine.turns import history as module
from wakeful.engine.turns.history import History
from wakeful.model.journal.entry import (
    WHOLE,
    Entry,
    answer_entry,
    input_entry,
    result_entry,
    summary_entry,
    without,
)
from wakeful.model.journal.fact import Answered, Measure
from wakeful.model.journal.message import AssistantMessage, ToolCall, Usage, UserMessage
from wakeful.model.journal.summary import CompactionReason, Summary
from wakeful.model.journal.transcript import Transcript, fold
from wakeful.model.opening import Closing, Opening
from wakeful.model.search.search import Hit
from wakeful.model.turn import Outcome, Turn, TurnStatus
from wakeful.store.base import Store, Transaction
from wakeful.store.sqlite.store import SqliteStore


@pytest.fixture
async def store(sqlite_path: Path) -> AsyncIterator[Store]:
    store = SqliteStore(sqlite_path, lambda: 1.0, synchronous="OFF")
    await store.open()
    await have_session(store)
    yield store
    await store.close()


@pytest.fixture
def read(store: Store, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Counts the entries that each read of a history returns."""
    counts: list[int] = []
    real = History._read_after

    async def counted(self: History, turn_id: str, known: list[str]) -> object:
        chain = await real(self, turn_id, known)
        counts.append(len(chain.entries))
        return chain

    monkeypatch.setattr(History, "_read_after", counted)
    return counts


async def test_a_turn_reads_what_is_new_since_the_last_one(store: Store, read: list[int]) -> None:
    history = History(store)
    parent = None
    for number in range(6):
        turn = await _open(store, number, parent)
        assert await history.of(Assignment(turn, 0)) == await _whole(store, turn)
        parent = await _close(store, turn)

    # Each turn reads its own inputs and all entries of the turn before it.
    assert read == [1, 3 + 2, 4 + 2, 4 + 2, 4 + 2, 4 + 2]


async def test_a_branch_of_an_old_turn_reads_all(store: Store, read: list[int]) -> None:
    history = History(store)
    turns = await _talk(store, history, 4)

    branch = await _open(store, 9, turns[1].id)

    assert await history.of(Assignment(branch, 0)) == await _whole(store, branch)
    assert read[-1] == 9


async def test_what_was_deleted_is_read_no_more(store: Store) -> None:
    history = History(store)
    turns = await _talk(store, history, 3)
    before = await history.of(Assignment(turns[-1], 0))

    await store.write(lambda tx: tx.journal.replace(without(an_input("t0", "ask 0"), WHOLE)), lock=["s1"])

    after = await history.of(Assignment(turns[-1], 0))
    assert after == await _whole(store, turns[-1])
    assert len(after.messages) == len(before.messages) - 1


async def test_what_is_kept_has_an_end(store: Store, read: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_BYTES", 1)
    history = History(store)
    turns = await _talk(store, history, 3)

    assert await history.of(Assignment(turns[-1], 0)) == await _whole(store, turns[-1])
    assert read == [1, 3 + 2, 3 + 4 + 2, 3 + 4 + 4]


async def test_a_long_history_is_folded_beside_the_event_loop(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_ON_LOOP", 0)
    turns = await _talk(store, History(store), 3)

    assert await History(store).of(Assignment(turns[-1], 0)) == await _whole(store, turns[-1])


async def test_a_long_history_is_read_in_pieces(store: Store, read: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    turns = await _talk(store, History(store), 5)
    monkeypatch.setattr(module, "_MOST_READ", 2)
    read.clear()

    assert await History(store).of(Assignment(turns[-1], 0)) == await _whole(store, turns[-1])
    assert read == [3 + 4, 4 + 4, 4]


async def test_a_turn_reads_from_the_newest_summary_on(store: Store, read: list[int]) -> None:
    history = History(store)
    turns = await _talk(store, history, 4)
    summed_up = await _open(store, 4, turns[-1].id)
    await history.of(Assignment(summed_up, 0))
    await _sum_up(store, summed_up, keeps_from=f"{turns[3].id}.1.0")
    await _close(store, summed_up)

    # What is cached ends before the summary. It reads the turn of the first kept entry, the next one, its own inputs.
    turn = await _open(store, 5, summed_up.id)
    assert await history.of(Assignment(turn, 0)) == await _whole(store, turn)
    assert read[-1] == 4 + 5 + 2
    await _close(store, turn)
    following = await _open(store, 6, turn.id)
    assert await history.of(Assignment(following, 0)) == await _whole(store, following)
    assert read[-1] == 4 + 2
    # Without a cache the same is read, at once.
    assert await History(store).of(Assignment(following, 0)) == await _whole(store, following)


async def test_a_branch_from_before_a_summary_reads_what_the_summary_stands_for(store: Store) -> None:
    history = History(store)
    turns = await _talk(store, history, 3)
    summed_up = await _open(store, 3, turns[-1].id)
    await _sum_up(store, summed_up, keeps_from="")
    await _close(store, summed_up)
    branch = await _open(store, 9, turns[-1].id)

    found = await history.of(Assignment(branch, 0))
    assert found == await _whole(store, branch)
    assert found.messages[0] == UserMessage("ask 0")


async def test_a_running_turn_goes_on_from_its_own_summary(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_READ", 2)
    history = History(store)
    turns = await _talk(store, history, 5)
    turn = await _open(store, 5, turns[-1].id)
    await history.of(Assignment(turn, 0))
    await _sum_up(store, turn, keeps_from=f"{turns[1].id}.1.0")

    for reader in (history, History(store)):
        found = await reader.of(Assignment(turn, 0))
        assert found == await _whole(store, turn)
        assert (found.summaries, found.last_step) == (1, 2)


@pytest.mark.parametrize(
    ("deleted", "is_stale"),
    [
        (("t0", 0, 0), [True, True]),
        (("t1", 1, 0), [True, True]),
        # With this one begins what the first summary keeps word for word.
        (("t1", 1, 1), [False, True]),
        # The first summary keeps these word for word, the second one has replaced them.
        (("t2", 0, 1), [False, True]),
        (("t3", 0, 1), [False, True]),
        (("t4", 0, 1), [False, False]),
    ],
)
async def test_a_deleted_message_takes_the_summaries_with_it_that_stand_for_it(
    store: Store, deleted: tuple[str, int, int], is_stale: list[bool]
) -> None:
    history = History(store)
    turns = await _talk(store, history, 3)
    for number, keeps_from in ((3, "t1.1.1"), (4, "t4.0.0")):
        turns.append(await _open(store, number, turns[-1].id))
        await _close(store, turns[-1])
        await _sum_up(store, turns[-1], keeps_from=keeps_from)
    following = await _open(store, 5, turns[-1].id)
    await _close(store, following)
    branch = await _open(store, 6, turns[3].id)

    await store.write(lambda tx: _delete(tx, deleted), lock=["s1"])

    summaries = await store.read(lambda tx: tx.journal.summaries_of(["t3", "t4"]))
    assert [b"short" not in entry.payload for entry in summaries] == is_stale
    for turn in (following, branch):
        for reader in (history, History(store)):
            assert await reader.of(Assignment(turn, 0)) == await _whole(store, turn)
    texts = [message.text for message in (await history.of(Assignment(following, 0))).messages]
    assert any("short" in text for text in texts) == (is_stale != [True, True])
    assert ("ask 0" in texts) == (is_stale == [True, True] and deleted[0] != "t0")


async def test_a_message_that_is_deleted_where_it_was_summed_up_brings_back_all_before_it(store: Store) -> None:
    turns = await _talk(store, History(store), 3)
    await _sum_up(store, turns[-1], keeps_from="")
    following = await _open(store, 3, turns[-1].id)
    assert "ask 0" not in [message.text for message in (await History(store).of(Assignment(following, 0))).messages]

    await store.write(lambda tx: _delete(tx, ("t2", 0, 0)), lock=["s1"])

    texts = [message.text for message in (await History(store).of(Assignment(following, 0))).messages]
    assert [text for text in texts if text.startswith("ask")] == ["ask 0", "ask 1", "ask 3"]


async def test_a_message_that_is_deleted_after_the_summary_of_its_own_turn_leaves_that_one(store: Store) -> None:
    turns = await _talk(store, History(store), 2)
    turns.append(await _open(store, 2, "t1"))
    await _sum_up(store, turns[-1], keeps_from="t1.0.0")
    await _close(store, turns[-1], step=3)
    turns.append(await _open(store, 3, "t2"))
    await _close(store, turns[-1])
    await _sum_up(store, turns[-1], keeps_from="")
    following = await _open(store, 4, "t3")

    await store.write(lambda tx: _delete(tx, ("t2", 3, 0)), lock=["s1"])

    summaries = await store.read(lambda tx: tx.journal.summaries_of(["t2", "t3"]))
    assert [b"short" in entry.payload for entry in summaries] == [True, False]
    # The context begins where the summary that is left lets it begin.
    found = await store.read(lambda tx: tx.turns.get(following.id))
    assert found is not None
    assert found.context_turn == "t1"
    assert await History(store).of(Assignment(following, 0)) == await _whole(store, following)


async def test_what_is_deleted_while_a_long_history_is_read_is_not_in_it(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = await _talk(store, History(store), 5)
    monkeypatch.setattr(module, "_MOST_READ", 2)
    read_after, reads = History._read_after, []

    async def delete_after_the_first(self: History, turn_id: str, known: list[str]) -> object:
        chain = await read_after(self, turn_id, known)
        reads.append(turn_id)
        if len(reads) == 1:
            await store.write(lambda tx: _delete(tx, ("t0", 0, 0)), lock=["s1"])
        return chain

    monkeypatch.setattr(History, "_read_after", delete_after_the_first)

    history = History(store)
    found = await history.of(Assignment(turns[-1], 0))

    assert found == await history.of(Assignment(turns[-1], 0)) == await _whole(store, turns[-1])
    assert "ask 0" not in [message.text for message in found.messages]


async def test_answers_after_a_deleted_summary_do_not_say_how_long_the_context_is(store: Store) -> None:
    history = History(store)
    turns = await _talk(store, history, 2)
    turns.append(await _open(store, 2, turns[-1].id))
    await _sum_up(store, turns[-1], keeps_from="")
    await _close(store, turns[-1], step=3)
    following = await _open(store, 3, turns[-1].id)
    assert (await History(store).of(Assignment(following, 0))).measure == Measure(2, 2)

    await store.write(lambda tx: _delete(tx, ("t0", 0, 0)), lock=["s1"])

    measure = (await History(store).of(Assignment(following, 0))).measure
    assert measure == (await History(store).of(Assignment(turns[-1], 0))).measure
    assert measure.count == 6


async def _delete(tx: Transaction, key: tuple[str, int, int]) -> None:
    [entry] = await tx.journal.at([Hit(*key)])
    await tx.journal.replace(without(entry, WHOLE))
    await drop_summaries_of(tx, entry)


async def _sum_up(store: Store, turn: Turn, keeps_from: str) -> None:
    """As a running turn records it, after its first step."""
    summary = Summary("short", keeps_from, (), (), (), CompactionReason.AUTO, 1_000, 50, "m", Usage())

    async def body(tx: Transaction) -> None:
        await tx.journal.add([summary_entry(turn.id, 2, summary)])
        await tx.turns.begin_context([turn.id], summary.context_turn(turn.id))

    await store.write(body, lock=["s1"])


async def _talk(store: Store, history: History, count: int) -> list[Turn]:
    turns: list[Turn] = []
    for number in range(count):
        turns.append(await _open(store, number, turns[-1].id if turns else None))
        await history.of(Assignment(turns[-1], 0))
        await _close(store, turns[-1])
    return turns


async def _open(store: Store, number: int, parent: str | None) -> Turn:
    turn = a_turn(f"t{number}", parent=parent)
    await store.write(lambda tx: tx.open(Opening(turn)), lock=["s1"])
    # A client goes on with the answer of the turn before: that is one message to the model.
    more = {"source": "user", "message_id": "", "text": "", "role": "assistant", "calls": []}
    said = [an_input(turn.id, f"ask {number}")]
    if parent is not None:
        said = [input_entry(turn.id, 0, 1, more), *said]
    await _add(store, said)
    return turn


async def _close(store: Store, turn: Turn, step: int = 1) -> str:
    """With a call that has a result, and one that has none."""
    calls = (ToolCall("c1", "terminal", "{}"), ToolCall("c2", "terminal", "{}"))
    answered = Answered(step, AssistantMessage("answer", "", calls), Usage(1, 1))
    result = result_entry(turn.id, step, 1, call_id="c1", text="result", seconds=0.1)
    await _add(store, [answer_entry(turn.id, answered), result])
    await store.write(lambda tx: tx.close(Closing(turn, Outcome(TurnStatus.DONE), ())), lock=["s1"])
    return turn.id


async def _add(store: Store, entries: list[Entry]) -> None:
    await store.write(lambda tx: tx.journal.add(entries), lock=["s1"])


async def _whole(store: Store, turn: Turn) -> Transcript:
    async def body(tx: Transaction) -> list[Entry]:
        return await tx.journal.of_chain(turn.id)

    return fold(await store.read(body), turn.id)
