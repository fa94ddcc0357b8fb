"""The words of answers in progress: their numbers, who hears of them, and when they may be added and shown."""

import asyncio

import pytest

from tests.engine.kit import FakeClock
from tests.patience import PATIENCE
from wakeful.engine.words.words import LiveWords, Words
from wakeful.model.words import Said, Word, WordsEnd, WordsHead

HEAD = WordsHead("s", "t", 3, 7)


def test_words_are_numbered_from_one_and_counted_in_letters() -> None:
    words = Words(HEAD, 5)
    assert (words.count, words.size) == (0, 0)
    words.add("token", "one ")
    words.add("reasoning", "two")

    assert words.after(0, 9) == [Word(HEAD, 1, "token", "one "), Word(HEAD, 2, "reasoning", "two")]
    assert (words.count, words.size, words.turn_base) == (2, 7, 5)
    assert words.said() == Said("one ", "two", (4, -3))
    assert words.end() == WordsEnd(3, 7, 2)
    assert words.end(words.said()) == WordsEnd(3, 7, 2, said=words.said())


@pytest.mark.parametrize(
    ("number", "limit", "texts"), [(0, 2, "ab"), (1, 2, "bc"), (2, 2, "c"), (3, 2, ""), (0, 9, "abc")]
)
def test_a_reader_gets_so_many_words_after_a_number(number: int, limit: int, texts: str) -> None:
    words = Words(HEAD, 5)
    for text in "abc":
        words.add("token", text)

    assert "".join(word.text for word in words.after(number, limit)) == texts


def test_each_word_is_told_to_all_who_listen() -> None:
    live, heard = LiveWords(FakeClock()), list[str]()
    live.listen(heard.append)
    live.listen(lambda session_id: heard.append(f"also {session_id}"))
    words = live.begin(HEAD, 5)
    assert heard == []
    live.add(words, "token", "Hi")

    assert heard == ["s", "also s"]
    assert [word.text for word in words.after(0, 9)] == ["Hi"]
    assert live.of("s") is words


def test_a_lease_that_is_renewed_in_time_tells_nobody() -> None:
    clock = FakeClock()
    live, heard = LiveWords(clock), list[str]()
    live.begin(HEAD, 5)
    live.listen(heard.append)
    assert not live.may_show()

    live.show_until(clock.now + 3.0)
    assert heard == ["s"]
    clock.advance(2.0)
    live.show_until(clock.now + 3.0)
    assert heard == ["s"]
    clock.advance(2.0)
    assert live.may_show()
    clock.advance(1.0)
    assert not live.may_show()
    live.show_until(clock.now + 3.0)
    assert heard == ["s", "s"]


def test_what_was_never_said_can_be_forgotten() -> None:
    live = LiveWords(FakeClock())
    live.forget("s", "t")
    assert live.of("s") is None
    assert live.of_turn("s", "t", 5) is None


async def test_a_seal_is_lifted_also_when_the_write_under_it_fails() -> None:
    live = LiveWords(FakeClock())
    with pytest.raises(ZeroDivisionError), live.sealed(["s", "other"]):
        raise ZeroDivisionError
    for session_id in ("s", "other"):
        await asyncio.wait_for(live.unsealed(session_id), PATIENCE)
    assert live._seals == {}


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
        await asyncio.wait_for(live.unsealed("other"), PATIENCE)
        assert not waiting.done()
    await asyncio.wait_for(waiting, PATIENCE)


async def test_words_that_a_new_write_seals_before_they_go_on_wait_for_it_too() -> None:
    live = LiveWords(FakeClock())
    with live.sealed(["s"]):
        waiting = asyncio.create_task(live.unsealed("s"))
        await asyncio.sleep(0)
    with live.sealed(["s"]):
        await asyncio.wait_for(live.unsealed("other"), PATIENCE)
        await asyncio.sleep(0)
        assert not waiting.done()
    await asyncio.wait_for(waiting, PATIENCE)


def test_a_step_without_words_has_none_to_keep() -> None:
    live = LiveWords(FakeClock())
    words = live.begin(WordsHead("s", "t", 1, 5), 2)
    assert live.of_turn("s", "t", 2) is None

    live.add(words, "token", "word")
    assert live.of_turn("s", "t", 2) is words
    assert live.of_turn("s", "t", 3) is None
    assert live.of_turn("s", "other", 2) is None
