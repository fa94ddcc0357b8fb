"""Which conversations are cached, and that a cached one is read as a whole one is."""

from collections.abc import Sequence

import pytest

from tests.store.nouns import have_turn
from tests.unit.engine.inbox.kit import have_chain, record, said, turn_of
from wakeful.engine.inbox.assignment import Assignment
from wakeful.engine.turns import history as module
from wakeful.engine.turns.history import History, _Kept
from wakeful.model.journal.entry import WHOLE, Chain, without
from wakeful.model.journal.transcript import Transcript
from wakeful.store.base import Store

SIZE = len(said("t1", "say t1").payload)


async def read(history: History, store: Store, turn_id: str) -> list[str]:
    transcript = await history.of(Assignment(await turn_of(store, turn_id), 0))
    return [message.text for message in transcript.messages]


def kept(history: History) -> dict[str, int]:
    """Return the sizes of the cached conversations, which are all that counts."""
    sizes = {turn_id: one.size for turn_id, one in history._kept.items()}
    assert history._size == sum(sizes.values())
    return sizes


async def test_a_conversation_is_cached_in_place_of_the_shorter_one_that_it_grew_from(store: Store) -> None:
    await have_chain(store, "t1", "t2", "t3")
    history = History(store)

    assert await read(history, store, "t1") == ["say t1"]
    assert kept(history) == {}
    assert await read(history, store, "t2") == ["say t1", "say t2"]
    assert kept(history) == {"t1": SIZE}
    for _ in range(2):
        assert await read(history, store, "t3") == ["say t1", "say t2", "say t3"]
        assert kept(history) == {"t2": 2 * SIZE}


async def test_a_journal_that_was_just_written_is_not_read_again(store: Store) -> None:
    await have_chain(store, "t1")
    history = History(store)

    transcript = await history.of(Assignment(await turn_of(store, "t1"), 0, [said("t1", "other")]))

    assert [message.text for message in transcript.messages] == ["other"]


@pytest.mark.parametrize(("most", "expected"), [(1, {"b1"}), (2, {"a1", "b1"}), (3, {"a1", "b1"})])
async def test_only_so_many_conversations_are_cached(
    store: Store, monkeypatch: pytest.MonkeyPatch, most: int, expected: set[str]
) -> None:
    monkeypatch.setattr(module, "_MOST_KEPT", most)
    history = History(store)
    for name in ("a", "b"):
        await have_chain(store, f"{name}1", f"{name}2", session_id=f"s_{name}")
        await read(history, store, f"{name}2")

    assert kept(history).keys() == expected


@pytest.mark.parametrize(("most", "expected"), [(SIZE - 1, set[str]()), (SIZE, {"b1"}), (2 * SIZE, {"a1", "b1"})])
async def test_only_so_many_bytes_are_cached(
    store: Store, monkeypatch: pytest.MonkeyPatch, most: int, expected: set[str]
) -> None:
    monkeypatch.setattr(module, "_MOST_BYTES", most)
    history = History(store)
    for name in ("a", "b"):
        await have_chain(store, f"{name}1", f"{name}2", session_id=f"s_{name}")
        await read(history, store, f"{name}2")

    assert kept(history).keys() == expected


async def test_the_conversation_that_was_read_longest_ago_is_dropped_first(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MOST_KEPT", 2)
    history = History(store)
    for name in ("a", "b", "c"):
        await have_chain(store, f"{name}1", f"{name}2", session_id=f"s_{name}")

    for name in ("a", "b", "a", "c"):
        await read(history, store, f"{name}2")

    assert kept(history).keys() == {"a1", "c1"}


async def test_after_a_deletion_nothing_that_was_cached_is_used(store: Store) -> None:
    await have_chain(store, "t1", "t2", "t3")
    await have_chain(store, "o1", "o2", session_id="s2")
    history = History(store)
    for turn_id in ("o2", "t3"):
        await read(history, store, turn_id)
    await store.write(lambda tx: tx.journal.replace(without(said("t1", "say t1"), WHOLE)), lock=["s1"])

    assert await read(history, store, "t3") == ["say t2", "say t3"]

    assert kept(history).keys() == {"t2"}
    assert await read(history, store, "t3") == ["say t2", "say t3"]


async def test_what_was_read_before_a_deletion_is_not_cached_after_it(store: Store) -> None:
    history = History(store)
    history._revision = "new"

    history._keep("t1", _Kept(Transcript(), 5), Chain("old", None, []))
    assert kept(history) == {}
    history._keep("t1", _Kept(Transcript(), 5), Chain("new", None, []))
    history._keep("t1", _Kept(Transcript(), 7), Chain("new", "gone", []))

    assert kept(history) == {"t1": 7}


async def test_a_conversation_that_is_dropped_while_it_is_read_is_read_as_a_whole(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    await have_chain(store, "t1", "t2", "t3")
    history = History(store)
    await read(history, store, "t2")
    real = History._read_after

    async def dropping(self: History, turn_id: str, known: Sequence[str]) -> Chain:
        chain = await real(self, turn_id, known)
        self._drop("t1")
        return chain

    monkeypatch.setattr(History, "_read_after", dropping)

    assert await read(history, store, "t3") == ["say t1", "say t2", "say t3"]
    assert kept(history) == {"t2": 2 * SIZE}


async def test_a_turn_reads_what_it_has_recorded_itself(store: Store) -> None:
    await have_chain(store, "t1")
    await have_turn(store, "t2", parent="t1")
    await record(store, [said("t2", "hello"), said("t2", "more", step=1, index=2)])

    assert await read(History(store), store, "t2") == ["say t1", "hello", "more"]
