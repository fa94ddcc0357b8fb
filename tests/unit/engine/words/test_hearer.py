"""Which sessions a node reads other nodes' words of, and what it keeps of them."""

from typing import Any

import pytest

from tests.engine.kit import FakeClock
from tests.unit.engine.words.kit import HEAD, SharedTable, a_part, a_store, shown_words
from wakeful.engine.words.hearer import WordsHearer
from wakeful.engine.words.words import LiveWords
from wakeful.model.words import WordsHead
from wakeful.store.base import Signal


def a_hearer(table: SharedTable | None) -> tuple[Any, LiveWords, WordsHearer]:
    store, clock = a_store(table), FakeClock()
    live = shown_words(clock)
    return store, live, WordsHearer(store, live, clock)


def said_in(hearer: WordsHearer, session_id: str = "s") -> str | None:
    words = hearer.of(session_id)
    return None if words is None else words.said().text


def is_asked_to_sweep(hearer: WordsHearer) -> bool:
    is_set = hearer.job._changed.is_set()
    hearer.job._changed.clear()
    return is_set


async def test_it_looks_as_long_as_a_session_has_readers() -> None:
    table = SharedTable()
    _, _, hearer = a_hearer(table)
    assert not is_asked_to_sweep(hearer)
    assert await hearer.sweep() is None
    hearer.want("s")
    assert is_asked_to_sweep(hearer)
    await hearer.job.look()
    assert (hearer.job._wait, hearer.job.counts.failures) == (1.0, 0)
    hearer.want("s")
    hearer.leave("s")
    assert await hearer.sweep() == 1.0
    hearer.leave("s")
    assert await hearer.sweep() is None
    assert table.asked == [{"s": (0, 0)}] * 2


async def test_the_last_reader_takes_the_words_with_it() -> None:
    table = SharedTable()
    _, _, hearer = a_hearer(table)
    hearer.want("s")
    hearer.want("s")
    table.parts = [a_part(1, "Hi")]
    await hearer.sweep()

    hearer.leave("s")
    assert said_in(hearer) == "Hi"
    hearer.leave("s")
    assert said_in(hearer) is None


async def test_what_was_announced_is_read_and_without_an_announcement_everything() -> None:
    table = SharedTable()
    store, _, hearer = a_hearer(table)
    for session_id in ("s", "other"):
        hearer.want(session_id)
    await hearer.sweep()
    assert table.asked.pop() == {"s": (0, 0), "other": (0, 0)}
    is_asked_to_sweep(hearer)

    store.notifier.publish(Signal(frozenset(), spoken=frozenset({"s", "nobody's"})))
    assert is_asked_to_sweep(hearer)
    await hearer.sweep()
    assert table.asked.pop() == {"s": (0, 0)}

    await hearer.sweep()
    assert table.asked.pop() == {"s": (0, 0), "other": (0, 0)}


@pytest.mark.parametrize(
    "signal", [Signal(frozenset({"s"})), Signal(frozenset(), spoken=frozenset({"nobody's"})), Signal(frozenset())]
)
async def test_what_concerns_no_words_here_asks_for_no_sweep(signal: Signal) -> None:
    store, _, hearer = a_hearer(SharedTable())
    hearer.want("s")
    await hearer.sweep()
    is_asked_to_sweep(hearer)

    store.notifier.publish(signal)

    assert not is_asked_to_sweep(hearer)


async def test_words_are_asked_for_from_where_they_are_known() -> None:
    table = SharedTable()
    store, _, hearer = a_hearer(table)
    hearer.want("s")
    table.parts = [a_part(1, "a", "b")]
    await hearer.sweep()
    await hearer.sweep()
    assert table.asked[-1] == {"s": (HEAD.base, 2)}

    is_asked_to_sweep(hearer)
    store.notifier.publish(Signal(frozenset({"s"})))
    assert is_asked_to_sweep(hearer)
    assert said_in(hearer) is None
    await hearer.sweep()
    assert table.asked[-1] == {"s": (0, 0)}


async def test_a_commit_leaves_the_words_of_other_sessions() -> None:
    table = SharedTable()
    store, _, hearer = a_hearer(table)
    hearer.want("s")
    table.parts = [a_part(1, "a")]
    await hearer.sweep()

    store.notifier.publish(Signal(frozenset({"other"})))
    assert said_in(hearer) == "a"
    store.notifier.publish(Signal(frozenset(), is_everything=True))
    assert said_in(hearer) is None
    assert is_asked_to_sweep(hearer)


async def test_sessions_that_this_node_answers_are_not_read() -> None:
    table = SharedTable()
    _, live, hearer = a_hearer(table)
    live.begin(HEAD, 2)
    for session_id in ("s", "other"):
        hearer.want(session_id)

    await hearer.sweep()
    assert table.asked == [{"other": (0, 0)}]
    hearer.leave("other")
    await hearer.sweep()
    assert len(table.asked) == 1


async def test_new_words_are_told_to_all_who_listen() -> None:
    table = SharedTable()
    _, _, hearer = a_hearer(table)
    heard: list[str] = []
    hearer.listen(heard.append)
    hearer.listen(lambda session_id: heard.append(f"also {session_id}"))
    hearer.want("s")
    table.parts = [a_part(1, "a")]
    await hearer.sweep()

    assert heard == ["s", "also s"]


async def test_words_of_a_session_whose_readers_left_meanwhile_are_dropped() -> None:
    table = SharedTable()
    _, _, hearer = a_hearer(table)
    table.parts = [a_part(1, "a")]
    await hearer.refresh(["s"])

    assert said_in(hearer) is None


@pytest.mark.parametrize(
    ("first", "more", "said"), [(1, "abc", "abc"), (2, "bc", "abc"), (3, "c", "abc"), (4, "d", "ab"), (2, "b", "ab")]
)
async def test_a_part_adds_what_is_new_in_it_unless_there_is_a_gap(first: int, more: str, said: str) -> None:
    table = SharedTable()
    _, _, hearer = a_hearer(table)
    hearer.want("s")
    table.parts = [a_part(1, "a", "b")]
    await hearer.sweep()
    table.parts = [a_part(first, *more)]
    await hearer.sweep()

    assert said_in(hearer) == said


async def test_of_two_answers_the_later_one_stays() -> None:
    table = SharedTable()
    _, _, hearer = a_hearer(table)
    hearer.want("s")
    later = WordsHead("s", "t", 2, HEAD.base + 1)
    table.parts = [a_part(1, "old"), a_part(2, "gap", head=later)]
    await hearer.sweep()
    assert said_in(hearer) == "old"

    table.parts = [
        a_part(1, "new", head=later),
        a_part(1, "old"),
        a_part(1, "x", "y", head=WordsHead("s", "u", 2, later.base)),
    ]
    await hearer.sweep()
    words = hearer.of("s")
    assert words is not None
    assert (words.head, words.turn_base, words.said().text) == (later, 2, "new")


async def test_words_are_read_for_the_time_of_one_look() -> None:
    table = SharedTable()
    _, _, hearer = a_hearer(table)
    table.parts = [a_part(1, "a")]
    async with hearer.heard("s") as words:
        assert words is not None
        assert words.said().text == "a"
    assert hearer.of("s") is None
    with pytest.raises(ZeroDivisionError):
        async with hearer.heard("s"):
            raise ZeroDivisionError
    assert await hearer.sweep() is None


async def test_a_store_that_only_this_node_has_is_never_asked() -> None:
    store, _, hearer = a_hearer(None)
    hearer.want("s")
    store.notifier.publish(Signal(frozenset(), spoken=frozenset({"s"})))
    assert not is_asked_to_sweep(hearer)
    async with hearer.heard("s") as words:
        assert words is None
