"""A reader's position in facts and words: what it gets next, and what it does not get twice."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from wakeful.engine.readers.followed import Followed
from wakeful.engine.readers.reader import Reader
from wakeful.engine.words.words import Words
from wakeful.model.event import Event, StreamItem
from wakeful.model.words import Said, Word, WordsEnd, WordsHead

PIECES = ["one ", "two ", "three "]
SAID = Said("".join(PIECES), "", tuple(map(len, PIECES)))
# They follow the session's fact 3, which is the second of their turn.
HEAD = WordsHead("s", "t", 1, 3)


class EmptyStore:
    """These facts keep their words themselves."""

    async def read(self, body: Callable[[Any], Awaitable[Any]]) -> Any:
        return await body(None)


def a_reader(fact: int, base: int = 0, word: int = 0, **more: Any) -> Reader:
    no_store: Any = EmptyStore()
    return Reader(no_store, fact, base, word, **more)


def a_fact(number: int, kind: str, turn_seq: int | None, ends: WordsEnd | None = None, turn_id: str = "t") -> Event:
    return Event("s", number, None if turn_seq is None else turn_id, turn_seq, kind, b"{}", 0.0, ends)


def an_end(number: int = 4, **more: Any) -> Event:
    return a_fact(number, "usage", 3, WordsEnd(1, HEAD.base, len(PIECES), said=SAID, **more))


def spoken(*texts: str) -> Words:
    words = Words(HEAD, 2)
    for text in texts or PIECES:
        words.add("token", text)
    return words


async def read(reader: Reader, *facts: Event) -> list[StreamItem]:
    return [item async for page in reader.pages(facts, Followed()) for item in page]


def what(items: Sequence[StreamItem]) -> list[str]:
    return [one.text if isinstance(one, Word) else one.kind for one in items]


async def test_words_that_a_reader_knows_to_have_ended_are_not_shown_again() -> None:
    reader, words = a_reader(3), spoken()
    assert what(reader.new_words(words)) == PIECES

    assert what(await read(reader, an_end())) == ["usage"]
    assert reader.new_words(words) == []
    await read(reader, a_fact(5, "done", 4))
    assert reader.new_words(words) == []
    # Neither the end of a message that was withdrawn nor the next turn brings them back.
    await read(reader, a_fact(6, "cancelled", 1, turn_id="withdrawn"))
    assert reader.new_words(words) == []
    await read(reader, a_fact(7, "turn_started", 1, turn_id="next"))
    assert reader.new_words(words) == []


async def test_words_of_the_turn_before_are_not_shown_in_the_next() -> None:
    reader = a_reader(5)
    await read(reader, a_fact(6, "turn_started", 1, turn_id="next"))
    assert reader.new_words(spoken()) == []


async def test_facts_that_end_no_words_leave_them_to_be_read() -> None:
    reader, words = a_reader(2), spoken()
    assert reader.new_words(words) == []
    await read(reader, a_fact(3, "message", 2))
    await read(reader, a_fact(4, "message_queued", None), a_fact(5, "cancelled", 1, turn_id="withdrawn"))
    assert what(reader.new_words(words)) == PIECES


async def test_words_after_a_step_that_was_taken_back_are_read() -> None:
    reader = a_reader(3)
    await read(reader, a_fact(4, "step_abandoned", 3, WordsEnd(1, HEAD.base, void=1000)))
    again = Words(WordsHead("s", "t", 1, 4), 3)
    again.add("token", "anew")
    assert what(reader.new_words(again)) == ["anew"]


@pytest.mark.parametrize(("fact", "seen"), [(3, 0), (4, 1), (5, 2), (6, 3)])
@pytest.mark.parametrize("of_turn", [None, "t"])
async def test_a_reader_at_a_number_of_moved_words_gets_them_anew(fact: int, seen: int, of_turn: str | None) -> None:
    """Three words that had the numbers 4 to 6 in the log of the session, and 3 to 5 in that of the turn."""
    end = a_fact(7, "usage", 6, WordsEnd(1, HEAD.base, len(PIECES), said=SAID, old=(4, 6)))
    reader = a_reader(fact if of_turn is None else fact - 1, of_turn=of_turn)

    items = what(await read(reader, end))

    assert items == (["step_abandoned"] if seen else []) + [*PIECES, "usage"]


@pytest.mark.parametrize("seen", [0, 1, 2, 3])
async def test_a_reader_that_has_read_words_as_events_gets_the_rest_of_them(seen: int) -> None:
    reader = a_reader(2, 2, of_turn="t", starts_over=False)
    await read(reader, *(a_fact(4 + index, "token", 3 + index) for index in range(seen)))
    end = a_fact(7, "usage", 6, WordsEnd(1, HEAD.base, len(PIECES), said=SAID, old=(4, 6)))

    assert what(await read(reader, end)) == [*PIECES[seen:], "usage"]


async def test_words_of_a_step_before_do_not_count_as_read_of_this_one() -> None:
    reader = a_reader(0, of_turn="t", starts_over=False)
    await read(reader, a_fact(1, "token", 1), a_fact(2, "token", 2), a_fact(3, "usage", 3), a_fact(4, "token", 4))
    end = a_fact(7, "usage", 7, WordsEnd(2, 3, len(PIECES), said=SAID, old=(4, 6)))

    assert what(await read(reader, end)) == [*PIECES[1:], "usage"]


@pytest.mark.parametrize("seen", [0, 1, 2, 3])
async def test_a_reader_in_the_middle_of_words_gets_the_rest_of_them(seen: int) -> None:
    assert what(await read(a_reader(3, HEAD.base, seen), an_end())) == [*PIECES[seen:], "usage"]


async def test_one_with_more_words_than_are_kept_learns_it_and_starts_over() -> None:
    reader = a_reader(3, HEAD.base, len(PIECES) + 1)
    assert what(await read(reader, an_end())) == ["step_abandoned", *PIECES, "usage"]


async def test_one_with_more_words_than_are_kept_of_a_step_that_was_taken_back_learns_it_once() -> None:
    reader = a_reader(3, HEAD.base, 2)
    taken_back = a_fact(4, "step_abandoned", 3, WordsEnd(1, HEAD.base, 1, void=1000, said=Said("one ", "", (4,))))
    assert what(await read(reader, taken_back)) == ["step_abandoned"]


async def test_a_position_in_other_words_does_not_count_in_these() -> None:
    assert what(await read(a_reader(3, 2, 2), an_end())) == [*PIECES, "usage"]
