"""When a node writes the words of its answers for other nodes, and how often."""

import pytest

from tests.engine.kit import FakeClock
from tests.unit.engine.words.kit import HEAD, SharedTable, a_store, shown_words
from wakeful.engine.words.sharer import WordsSharer
from wakeful.engine.words.words import LiveWords
from wakeful.errors import StoreUnavailable
from wakeful.model.words import WordsHead

OTHER = WordsHead("other", "u", 1, 9)


class Desk:
    """A sharer, its table, and the words that it shares."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.table = SharedTable()
        self.live = shown_words(self.clock)
        self.sharer = WordsSharer(a_store(self.table), self.live, "node", self.clock)

    def say(self, *texts: str, head: WordsHead = HEAD) -> None:
        words = self.live.of(head.session_id)
        if words is None or words.head != head:
            words = self.live.begin(head, 2)
        for text in texts:
            self.live.add(words, "token", text)

    def is_asked_to_sweep(self) -> bool:
        is_set = self.sharer.job._changed.is_set()
        self.sharer.job._changed.clear()
        return is_set


async def test_each_word_is_written_once() -> None:
    desk = Desk()
    desk.say("a", "b")
    assert desk.is_asked_to_sweep()
    await desk.sharer.job.look()
    assert desk.sharer.job.counts.failures == 0
    desk.say("c")
    await desk.sharer.sweep()
    desk.say("d", head=OTHER)
    await desk.sharer.sweep()

    assert desk.table.writes == [([(1, "ab")], []), ([(3, "c")], []), ([(1, "d")], [])]
    assert desk.table.heads == [(HEAD, 2), (HEAD, 2), (OTHER, 2)]


async def test_many_words_ask_for_one_sweep() -> None:
    desk = Desk()
    desk.say("a")
    assert desk.is_asked_to_sweep()
    desk.say("b")
    assert not desk.is_asked_to_sweep()
    await desk.sharer.sweep()
    desk.say("c")
    assert desk.is_asked_to_sweep()


async def test_it_looks_again_as_long_as_something_is_being_said() -> None:
    desk = Desk()
    assert await desk.sharer.sweep() is None
    desk.say("a")
    assert await desk.sharer.sweep() == 1.0
    assert await desk.sharer.sweep() == 1.0
    assert len(desk.table.writes) == 1
    desk.live.forget("s", "t")
    assert await desk.sharer.sweep() is None
    assert desk.table.writes[-1] == ([], ["s"])
    await desk.sharer.sweep()
    assert len(desk.table.writes) == 2


async def test_the_words_of_the_next_step_begin_anew() -> None:
    desk = Desk()
    desk.say("a", "b")
    await desk.sharer.sweep()
    desk.say("c", head=WordsHead("s", "t", 2, 6))
    await desk.sharer.sweep()

    assert desk.table.writes[-1] == ([(1, "c")], ["s"])


async def test_words_that_ended_before_they_were_written_are_not_written() -> None:
    desk = Desk()
    desk.say("a")
    desk.live.forget("s", "t")

    assert await desk.sharer.sweep() is None
    assert desk.table.writes == []


async def test_after_an_error_all_unfinished_answers_are_written_again() -> None:
    desk = Desk()
    desk.say("a", "b")
    desk.say("x", head=OTHER)
    await desk.sharer.sweep()
    desk.table.fails = True
    desk.say("c")
    with pytest.raises(StoreUnavailable):
        await desk.sharer.sweep()
    desk.table.fails = False
    assert await desk.sharer.sweep() == 1.0

    parts, ended = desk.table.writes[-1]
    assert sorted(parts) == [(1, "abc"), (1, "x")]
    assert ended == []
    await desk.sharer.sweep()
    assert len(desk.table.writes) == 2


async def test_an_end_that_could_not_be_written_is_written_later() -> None:
    desk = Desk()
    desk.say("a")
    await desk.sharer.sweep()
    desk.live.forget("s", "t")
    desk.table.fails = True
    with pytest.raises(StoreUnavailable):
        await desk.sharer.sweep()
    desk.table.fails = False
    await desk.sharer.sweep()

    assert desk.table.writes[-1] == ([], ["s"])


async def test_without_other_nodes_nothing_is_written_and_all_of_it_when_one_comes() -> None:
    desk = Desk()
    desk.table.has = False
    desk.say("a")
    desk.say("x", head=OTHER)
    assert await desk.sharer.sweep() == 1.0
    desk.live.forget("other", "u")
    assert await desk.sharer.sweep() == 1.0
    assert desk.table.writes == []
    assert desk.table.looks == ["node"]

    desk.table.has = True
    desk.clock.advance(1.0)
    await desk.sharer.sweep()
    assert desk.table.writes == [([(1, "a")], [])]


async def test_a_node_that_comes_back_gets_answers_from_their_first_word() -> None:
    desk = Desk()
    desk.say("a")
    await desk.sharer.sweep()
    desk.table.has = False
    desk.clock.advance(1.0)
    desk.say("b")
    await desk.sharer.sweep()
    desk.table.has = True
    desk.clock.advance(1.0)
    await desk.sharer.sweep()

    assert desk.table.writes[-1] == ([(1, "ab")], [])


async def test_without_other_nodes_ended_answers_are_no_reason_to_look_again() -> None:
    desk = Desk()
    desk.table.has = False
    desk.say("a")
    desk.live.forget("s", "t")
    assert await desk.sharer.sweep() is None


async def test_it_looks_for_other_nodes_once_a_second_and_for_dead_ones_once_a_minute() -> None:
    desk = Desk()
    for seconds, looks, sweeps in ((0.0, 1, 1), (0.9, 1, 1), (0.1, 2, 1), (58.9, 3, 1), (0.1, 3, 2), (0.9, 4, 2)):
        desk.clock.advance(seconds)
        await desk.sharer.sweep()
        assert (len(desk.table.looks), desk.table.sweeps) == (looks, sweeps)


async def test_without_a_lease_words_wait() -> None:
    desk = Desk()
    desk.live.show_until(desk.clock.now)
    desk.say("a")
    assert await desk.sharer.sweep() == 1.0
    assert desk.table.writes == []
    desk.live.show_until(desk.clock.now + 1.0)
    await desk.sharer.sweep()
    assert desk.table.writes == [([(1, "a")], [])]


async def test_a_store_that_only_this_node_has_takes_no_words() -> None:
    clock = FakeClock()
    live: LiveWords = shown_words(clock)
    sharer = WordsSharer(a_store(None), live, "node", clock)
    live.add(live.begin(HEAD, 2), "token", "a")

    assert not sharer.job._changed.is_set()
    assert await sharer.sweep() is None
