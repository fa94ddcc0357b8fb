"""Words in memory: which turn they belong to, and when more may be added."""

import asyncio

from tests.engine.kit import FakeClock
from wakeful.engine.words.words import LiveWords
from wakeful.model.words import WordsHead


def test_a_turn_that_is_over_takes_no_words_of_the_next_with_it() -> None:
    live = LiveWords(FakeClock())
    words = live.begin(WordsHead("s", "next", 1, 5), 2)

    live.forget("s", "before")
    assert live.of("s") is words

    live.forget("s", "next")
    assert live.of("s") is None


async def test_words_wait_for_the_last_of_several_writes_that_may_close_their_turn() -> None:
    live = LiveWords(FakeClock())
    with live.sealed(["s"]):
        with live.sealed(["s", "other"]):
            waiting = asyncio.create_task(live.unsealed("s"))
        await asyncio.wait_for(live.unsealed("other"), 10)
        assert not waiting.done()
    await asyncio.wait_for(waiting, 10)


async def test_words_that_a_new_write_seals_before_they_go_on_wait_for_it_too() -> None:
    live = LiveWords(FakeClock())
    with live.sealed(["s"]):
        waiting = asyncio.create_task(live.unsealed("s"))
        await asyncio.sleep(0)
    with live.sealed(["s"]):
        await asyncio.wait_for(live.unsealed("other"), 10)
        await asyncio.sleep(0)
        assert not waiting.done()
    await asyncio.wait_for(waiting, 10)


def test_a_step_without_words_has_none_to_keep() -> None:
    live = LiveWords(FakeClock())
    words = live.begin(WordsHead("s", "t", 1, 5), 2)
    assert live.of_turn("s", "t", 2) is None

    live.add(words, "token", "word")
    assert live.of_turn("s", "t", 2) is words
    assert live.of_turn("s", "t", 3) is None
    assert live.of_turn("s", "other", 2) is None
