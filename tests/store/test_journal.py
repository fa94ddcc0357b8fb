"""The journal: what a turn and its ancestors have recorded, in the order in which it was said."""

from dataclasses import replace

import pytest

from tests.store.conftest import FakeClock
from tests.store.nouns import have_closed_turn, have_session, have_turn
from wakeful.errors import StoreError
from wakeful.model.journal.entry import Entry, EntryKind, cut_entry
from wakeful.model.words import Said, Word, WordsHead
from wakeful.store.base import Store


async def test_entries_come_back_in_the_order_of_steps(store: Store) -> None:
    await have_turn(store)
    entries = [_entry("t1", step, index) for step, index in [(0, 0), (1, 0), (1, 1), (1, 10), (2, 0), (10, 0)]]

    await _add(store, list(reversed(entries)))

    assert [(e.step, e.index) for e in await _chain(store, "t1")] == [(e.step, e.index) for e in entries]


async def test_an_entry_is_read_back_whole_with_the_time_of_the_store(store: Store, clock: FakeClock) -> None:
    await have_turn(store)
    await clock.set(77.0)

    await _add(store, [_entry("t1", 0, 0), _entry("t1", 1, 0)])

    assert await _chain(store, "t1") == [
        Entry("t1", 0, 0, EntryKind.INPUT, b"{}", at=77.0),
        Entry("t1", 1, 0, EntryKind.INPUT, b"{}", at=77.0),
    ]


async def test_an_entry_is_written_over_and_its_neighbours_are_not(store: Store) -> None:
    await have_turn(store)
    await _add(store, [_entry("t1", 0, 0), _entry("t1", 0, 1), _entry("t1", 1, 0)])
    marked = replace(_entry("t1", 0, 1), payload=b'{"\\u0000": "\xc3\xa4"}')

    await store.write(lambda tx: tx.journal.replace(marked))

    assert [entry.payload for entry in await _chain(store, "t1")] == [b"{}", marked.payload, b"{}"]


async def test_the_entries_after_a_known_ancestor_are_read(store: Store) -> None:
    for turn_id, parent in (("t1", None), ("t2", "t1"), ("t3", "t2"), ("t4", "t3")):
        await have_closed_turn(store, turn_id, parent=parent)
        if turn_id != "t3":
            await _add(store, [_entry(turn_id, 0, 0)])

    async def after(*known: str) -> tuple[str | None, list[str]]:
        chain = await store.read(lambda tx: tx.journal.of_chain_after("t4", known, 9))
        assert chain.last is None
        return chain.base, [entry.turn_id for entry in chain.entries]

    assert await after() == (None, ["t1", "t2", "t4"])
    assert await after("t1", "t2", "unknown") == ("t2", ["t4"])
    assert await after("t3") == ("t3", ["t4"])
    assert await after("t1") == ("t1", ["t2", "t4"])

    begun = await store.read(lambda tx: tx.journal.of_chain_after("t4", ["t1"], 2))
    assert (begun.base, [entry.turn_id for entry in begun.entries], begun.last) == ("t1", ["t2"], "t3")


async def test_a_chain_begins_where_the_context_of_its_turn_does(store: Store) -> None:
    for turn_id, parent in (("t1", None), ("t2", "t1"), ("t3", "t2")):
        await have_closed_turn(store, turn_id, parent=parent)
    await store.write(lambda tx: tx.turns.begin_context(["t3"], "t2"), lock=["s1"])
    # Turns that grow from there take it over.
    await have_closed_turn(store, "t4", parent="t3")
    await have_closed_turn(store, "t5", parent="t2")
    for turn_id in ("t1", "t2", "t3", "t4", "t5"):
        await _add(store, [_entry(turn_id, 0, 0)])

    async def chain(turn_id: str, *known: str) -> tuple[str | None, list[str]]:
        found = await store.read(lambda tx: tx.journal.of_chain_after(turn_id, known, 1))
        return found.base, [entry.turn_id for entry in found.entries]

    # All of it at once, whatever the limit.
    assert await chain("t4") == await chain("t4", "t1") == (None, ["t2", "t3", "t4"])
    assert await chain("t3") == (None, ["t2", "t3"])
    assert await chain("t4", "t3") == ("t3", ["t4"])
    assert await chain("t5", "t2") == ("t2", ["t5"])
    turn = await store.read(lambda tx: tx.turns.get("t4"))
    assert turn is not None
    assert turn.context_turn == "t2"


async def test_summaries_are_found_in_all_that_grew_from_a_turn(store: Store) -> None:
    for turn_id, parent in (("t1", None), ("t2", "t1"), ("t3", "t2"), ("t4", "t2")):
        await have_closed_turn(store, turn_id, parent=parent)
        await _add(store, [_entry(turn_id, 0, 0), replace(_entry(turn_id, 1, 0), kind=EntryKind.SUMMARY)])

    grown = await store.read(lambda tx: tx.turns.grown_from("t2"))
    found = await store.read(lambda tx: tx.journal.summaries_of(grown))

    assert sorted(grown) == ["t2", "t3", "t4"]
    assert sorted(entry.id for entry in found) == ["t2.1.0", "t3.1.0", "t4.1.0"]


async def test_a_context_can_begin_with_the_conversation_again(store: Store) -> None:
    for turn_id, parent in (("t1", None), ("t2", "t1"), ("t3", "t2")):
        await have_closed_turn(store, turn_id, parent=parent)
        await _add(store, [_entry(turn_id, 0, 0)])

    await store.write(lambda tx: tx.turns.begin_context(["t2", "t3"], "t2"), lock=["s1"])
    await store.write(lambda tx: tx.turns.begin_context(["t3"], None), lock=["s1"])

    turns = [await store.read(lambda tx, turn_id=turn_id: tx.turns.get(turn_id)) for turn_id in ("t2", "t3")]  # type: ignore[misc]
    assert [turn and turn.context_turn for turn in turns] == ["t2", None]


async def test_a_chain_tells_when_an_entry_was_written_over(store: Store) -> None:
    await have_turn(store)
    await _add(store, [_entry("t1", 0, 0)])
    revisions = []
    for _ in range(3):
        revisions.append((await store.read(lambda tx: tx.journal.of_chain_after("t1", (), 9))).revision)
        await store.write(lambda tx: tx.journal.replace(_entry("t1", 0, 0)))

    assert len(set(revisions)) == 3


async def test_entries_are_read_of_the_named_turns_only(store: Store) -> None:
    for turn_id in ("a", "b", "c"):
        await have_closed_turn(store, turn_id)
        await _add(store, [_entry(turn_id, 1, 0), _entry(turn_id, 0, 1), _entry(turn_id, 0, 0)])

    entries = await store.read(lambda tx: tx.journal.of_turns(["c", "a", "missing"]))

    for turn_id in ("a", "c"):
        assert [(e.step, e.index) for e in entries if e.turn_id == turn_id] == [(0, 0), (0, 1), (1, 0)]
    assert len(entries) == 6
    assert await store.read(lambda tx: tx.journal.of_turns([])) == []


async def test_a_chain_begins_with_its_oldest_turn_and_leaves_out_branches(store: Store) -> None:
    # Later turns have smaller ids here, so that only their parents tell the order.
    await have_closed_turn(store, "c", parent=None)
    await have_closed_turn(store, "b", parent="c")
    await have_closed_turn(store, "branch", parent="c")
    await have_closed_turn(store, "a", parent="b")
    for turn_id in ("a", "b", "branch", "c"):
        await _add(store, [_entry(turn_id, 0, 0), _entry(turn_id, 1, 0)])

    chain = await _chain(store, "a")

    assert [(entry.turn_id, entry.step) for entry in chain] == [
        ("c", 0), ("c", 1), ("b", 0), ("b", 1), ("a", 0), ("a", 1)
    ]  # fmt: skip


async def test_any_bytes_come_back_as_they_were(store: Store) -> None:
    await have_turn(store)
    entry = Entry("t1", 0, 0, EntryKind.RESULT, b"\x00\xff\x80text")

    await _add(store, [entry])

    assert [entry.payload for entry in await _chain(store, "t1")] == [b"\x00\xff\x80text"]


async def test_adding_no_entries_and_reading_no_turns_are_fine(store: Store) -> None:
    await have_session(store)

    await _add(store, [])

    assert await _chain(store, "missing") == []


async def test_an_entry_is_written_once(store: Store) -> None:
    await have_turn(store)
    await _add(store, [_entry("t1", 1, 0)])

    with pytest.raises(StoreError):
        await _add(store, [_entry("t1", 1, 1), _entry("t1", 1, 0)])

    assert len(await _chain(store, "t1")) == 1


async def test_the_words_of_an_answer_are_read_in_slices(store: Store) -> None:
    await have_turn(store)
    said = Said("Hello you", "Hm", (-2, 5, 4))
    await _add(store, [cut_entry("t1", 1, said)])
    head = WordsHead("s1", "t1", 1, 2)

    async def words(after: int, limit: int) -> list[Word]:
        return await store.read(lambda tx: tx.journal.words(head, after, limit))

    assert await words(0, 10) == said.words(head)
    assert await words(1, 1) == [Word(head, 2, "token", "Hello")]
    assert await words(3, 10) == []
    (entry,) = await _chain(store, "t1")
    assert entry.cuts is None


async def test_an_answer_that_is_gone_has_no_words_and_a_turn_that_is_gone_no_chain(store: Store) -> None:
    assert await store.read(lambda tx: tx.journal.words(WordsHead("s1", "gone", 1, 0), 0, 10)) == []
    chain = await store.read(lambda tx: tx.journal.of_chain_after("gone", [], 9))
    assert (chain.base, chain.entries, chain.last) == (None, [], None)


def _entry(turn_id: str, step: int, index: int) -> Entry:
    return Entry(turn_id, step, index, EntryKind.INPUT, b"{}")


async def _add(store: Store, entries: list[Entry]) -> None:
    await store.write(lambda tx: tx.journal.add(iter(entries)), lock=["s1"])


async def _chain(store: Store, turn_id: str) -> list[Entry]:
    return await store.read(lambda tx: tx.journal.of_chain(turn_id))
