"""A reader's position in facts and words: what it gets next, and what it does not get twice."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.engine.kit import FakeClock
from tests.store.nouns import have_turn
from wakeful.engine.readers.followed import Followed
from wakeful.engine.readers.reader import SLICE, Reader
from wakeful.engine.words.words import Words
from wakeful.model.event import Event, StreamItem
from wakeful.model.journal.entry import answer_entry
from wakeful.model.journal.fact import Answered
from wakeful.model.journal.message import AssistantMessage, Usage
from wakeful.model.words import Said, Word, WordsEnd, WordsHead, pack_cuts
from wakeful.store.sqlite.store import SqliteStore

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


async def test_words_that_a_reader_had_only_with_their_end_are_not_shown_again() -> None:
    reader = a_reader(3)
    assert what(await read(reader, an_end())) == [*PIECES, "usage"]
    assert reader.new_words(spoken()) == []


async def test_a_fact_in_mid_words_does_not_bring_them_again() -> None:
    reader, words = a_reader(3), spoken("one ")
    assert what(reader.new_words(words)) == ["one "]
    await read(reader, a_fact(4, "message_queued", None))
    words.add("token", "two ")
    assert what(reader.new_words(words)) == ["two "]
    await read(reader, a_fact(5, "message_queued", None))
    assert what(await read(reader, an_end(6))) == ["three ", "usage"]


@pytest.mark.parametrize(("base", "is_shown"), [(5, False), (6, True), (7, False)])
async def test_in_a_new_turn_words_are_shown_that_follow_a_fact_of_it(base: int, is_shown: bool) -> None:
    reader = a_reader(4)
    await read(reader, a_fact(6, "turn_started", 1, turn_id="next"))
    words = Words(WordsHead("s", "next", 1, base), 1)
    words.add("token", "Hi")

    assert bool(reader.new_words(words)) == is_shown


def test_words_after_the_first_fact_of_a_session_are_shown() -> None:
    words = Words(WordsHead("s", "t", 1, 1), 1)
    words.add("token", "Hi")
    assert what(a_reader(1).new_words(words)) == ["Hi"]


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


async def test_one_that_comes_to_moved_words_and_does_not_start_over_gets_all_of_them() -> None:
    end = a_fact(7, "usage", 6, WordsEnd(1, HEAD.base, len(PIECES), said=SAID, old=(4, 6)))
    reader = a_reader(3, of_turn="t", starts_over=False)

    assert what(await read(reader, end)) == [*PIECES, "usage"]


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


async def test_a_reader_without_words_gets_the_facts_alone() -> None:
    reader = a_reader(3, with_words=False)
    assert reader.new_words(spoken()) == []
    assert a_reader(3).new_words(None) == []
    assert what(await read(reader, an_end())) == ["usage"]


async def test_a_reader_gets_the_next_words_of_an_answer_with_each_look() -> None:
    reader, words = a_reader(3), spoken("one ")
    assert what(reader.new_words(words)) == ["one "]
    assert reader.new_words(words) == []
    words.add("token", "two ")
    assert what(reader.new_words(words)) == ["two "]
    assert (reader.base, reader.word) == (HEAD.base, 2)


async def test_a_page_of_words_has_no_more_than_a_slice() -> None:
    reader, words = a_reader(3), spoken(*["word "] * (SLICE + 2))

    assert [len(reader.new_words(words)) for _ in range(3)] == [SLICE, 2, 0]


@pytest.mark.parametrize(("turn_id", "fact", "gets"), [("t", 2, PIECES), ("t", 1, []), ("t", 3, []), ("other", 2, [])])
def test_a_reader_of_a_turn_gets_the_words_that_follow_its_last_fact(turn_id: str, fact: int, gets: list[str]) -> None:
    reader = a_reader(fact, fact, of_turn=turn_id)

    assert what(reader.new_words(spoken())) == gets


def test_a_reader_of_a_turn_that_comes_back_amid_words_gets_the_rest_of_them() -> None:
    assert what(a_reader(2, 2, 1, of_turn="t").new_words(spoken())) == PIECES[1:]
    assert what(a_reader(3, HEAD.base, 2).new_words(spoken())) == PIECES[2:]


async def test_a_reader_of_a_turn_that_has_read_its_words_gets_their_end_alone() -> None:
    reader = a_reader(2, 2, of_turn="t")
    assert what(reader.new_words(spoken())) == PIECES

    assert what(await read(reader, an_end())) == ["usage"]
    assert reader.fact == 3


async def test_pages_are_cut_before_words_and_facts_without_words_come_together() -> None:
    facts = [a_fact(2, "turn_started", 1), a_fact(3, "message", 2), an_end(), a_fact(5, "done", 4)]
    pages = [what(page) async for page in a_reader(0).pages(facts, Followed())]

    assert pages == [["turn_started", "message"], PIECES, ["usage", "done"]]


async def test_long_words_that_have_ended_come_in_slices() -> None:
    count = 2 * SLICE + 1
    said = Said("." * count, "", (1,) * count)
    end = a_fact(4, "usage", 3, WordsEnd(1, HEAD.base, count, said=said))
    pages = [page async for page in a_reader(3).pages([end], Followed())]

    assert [len(page) for page in pages] == [SLICE, SLICE, 1, 1]
    assert [word.number for page in pages[:-1] for word in page if isinstance(word, Word)] == list(range(1, count + 1))


async def test_words_that_have_just_ended_are_read_from_memory() -> None:
    here = spoken("from ", "memory ", "here ")
    followed = Followed(ended=(4, here))
    pages = [what(page) async for page in a_reader(3, HEAD.base, 1).pages([an_end()], followed)]
    assert pages == [["memory ", "here "], ["usage"]]

    followed = Followed(ended=(3, here))
    pages = [what(page) async for page in a_reader(3).pages([an_end()], followed)]
    assert pages == [PIECES, ["usage"]]


async def test_an_end_of_words_that_are_lost_is_still_told() -> None:
    end = a_fact(4, "usage", 3, WordsEnd(1, HEAD.base, 9, said=SAID))
    assert what(await read(a_reader(3), end)) == [*PIECES, "usage"]


async def test_words_without_an_entry_of_their_own_are_read_from_the_journal(sqlite_path: Path) -> None:
    store = SqliteStore(sqlite_path, FakeClock().time, synchronous="OFF")
    await store.open()
    try:
        await have_turn(store, "t", "s")
        answer = Answered(1, AssistantMessage("".join(PIECES)), Usage(1, 1))
        entry = answer_entry("t", answer, pack_cuts(SAID.cuts))
        await store.write(lambda tx: tx.journal.add([entry]), lock=["s"])
        end = a_fact(4, "usage", 3, WordsEnd(1, HEAD.base, len(PIECES)))

        assert what(await read(Reader(store, 3, HEAD.base, 1), end)) == [*PIECES[1:], "usage"]
    finally:
        await store.close()


async def test_the_event_that_takes_words_back_stands_right_before_their_end() -> None:
    reader = a_reader(3, HEAD.base, len(PIECES) + 1)
    taken_back = (await read(reader, an_end()))[0]

    assert isinstance(taken_back, Event)
    assert (taken_back.session_seq, taken_back.turn_id, taken_back.turn_seq) == (3, "t", None)
    assert (taken_back.kind, taken_back.data) == ("step_abandoned", {"step": 1})


async def test_one_that_does_not_start_over_gets_no_words_again() -> None:
    reader = a_reader(3, HEAD.base, len(PIECES) + 1, starts_over=False)
    assert what(await read(reader, an_end())) == ["usage"]


@pytest.mark.parametrize("fact", [3, 7])
async def test_a_reader_beside_moved_words_has_read_none_of_them(fact: int) -> None:
    """Right before the first of them, and right after the last."""
    end = a_fact(8, "usage", 7, WordsEnd(1, HEAD.base, len(PIECES), said=SAID, old=(4, 6)))
    assert what(await read(a_reader(fact), end)) == [*PIECES, "usage"]


async def test_words_of_another_turn_between_do_not_count() -> None:
    """Words that were read as events are forgotten with the next fact of their turn, not with one of another."""
    reader = a_reader(2, 2, starts_over=False)
    await read(reader, a_fact(3, "message", 2), a_fact(4, "token", 3), a_fact(5, "cancelled", 1, turn_id="other"))
    assert reader._written == 1
    await read(reader, a_fact(6, "reasoning", 4), a_fact(7, "message_queued", None))
    assert reader._written == 2
    await read(reader, a_fact(8, "usage", 5))
    assert reader._written == 0


def a_tail(*facts: Event) -> Followed:
    followed = Followed()
    for fact in facts:
        followed.add(fact)
    return followed


FACTS = (a_fact(4, "turn_started", 1), a_fact(5, "cancelled", 9, turn_id="other"), a_fact(6, "message", 2))


def test_a_reader_of_a_session_finds_the_facts_after_its_last_one_in_the_tail() -> None:
    assert a_reader(3).facts_in(a_tail(*FACTS)) == list(FACTS)
    assert a_reader(5).facts_in(a_tail(*FACTS)) == [FACTS[2]]
    assert a_reader(6).facts_in(a_tail(*FACTS)) == []
    assert a_reader(2).facts_in(a_tail(*FACTS)) is None


def test_a_reader_of_a_turn_finds_the_facts_of_the_turn_alone_in_the_tail() -> None:
    reader = a_reader(0, of_turn="t")
    assert reader.facts_in(a_tail(*FACTS)) == [FACTS[0], FACTS[2]]
    assert reader.looked_at == 6


def test_a_reader_of_a_turn_reads_on_where_it_has_looked() -> None:
    reader = a_reader(2, of_turn="t", looked_at=6)
    followed = a_tail(*FACTS)
    assert reader.facts_in(followed) == []
    followed.add(a_fact(7, "usage", 3))
    followed.add(a_fact(8, "message_queued", None))
    assert what(reader.facts_in(followed) or []) == ["usage"]
    assert reader.looked_at == 8
    assert reader.facts_in(followed) == []


def test_a_reader_of_a_turn_gets_no_fact_that_it_had_from_the_store() -> None:
    reader = a_reader(1, of_turn="t", looked_at=3)
    assert reader.facts_in(a_tail(*FACTS)) == [FACTS[2]]


@pytest.mark.parametrize("looked_at", [None, 2, 9])
def test_a_reader_of_a_turn_asks_the_store_for_what_the_tail_does_not_have(looked_at: int | None) -> None:
    reader = a_reader(7, of_turn="t", looked_at=looked_at)
    assert reader.facts_in(a_tail(*FACTS)) is None
    assert reader.looked_at == looked_at
