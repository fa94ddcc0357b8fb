"""What a node keeps of the sessions that have readers or turns on it, and which of them it polls."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.engine.kit import FakeClock
from wakeful.engine.readers.broadcaster import Broadcaster
from wakeful.engine.readers.followed import Followed
from wakeful.engine.words.hearer import WordsHearer
from wakeful.engine.words.words import LiveWords
from wakeful.model.event import TURN_STARTED, Event
from wakeful.model.words import Said, WordsEnd, WordsHead, WordsPart
from wakeful.store.base import Signal
from wakeful.store.sqlite.notifier import LocalNotifier


class WatchingNotifier(LocalNotifier):
    def __init__(self) -> None:
        super().__init__()
        self.sources: list[Callable[[], Iterable[str]]] = []

    def watch(self, followed: Callable[[], Iterable[str]]) -> None:
        self.sources.append(followed)

    def watched(self) -> set[str]:
        return {session_id for source in self.sources for session_id in source()}


class NotifierOnly:
    """As much of a store as a broadcaster needs to begin."""

    def __init__(self, words: "WordsElsewhere | None") -> None:
        self.notifier = WatchingNotifier()
        self.words = words


class WordsElsewhere:
    """A word that another node has shared."""

    async def read(self, known: Mapping[str, tuple[int, int]]) -> list[WordsPart]:
        return [WordsPart(WordsHead("s", "t", 1, 4), 2, 1, Said("Hi", "", (2,)))]


def parts(words: WordsElsewhere | None = None) -> tuple[Any, LiveWords, Broadcaster]:
    store: Any = NotifierOnly(words)
    live = LiveWords(FakeClock())
    return store, live, Broadcaster(store, live, WordsHearer(store, live, FakeClock()))


def test_sessions_with_readers_and_those_where_a_turn_runs_are_asked_about() -> None:
    store, _, broadcaster = parts()
    started, ended = (
        Event("runs", number, "t", number, kind, b"{}", 0.0) for number, kind in ((1, TURN_STARTED), (2, "done"))
    )

    with broadcaster._followed.subscribed("read", with_words=True):
        store.notifier.publish(Signal(frozenset({"runs"}), events=(started,)))
        assert store.notifier.watched() == {"read", "runs"}
    store.notifier.publish(Signal(frozenset({"runs"}), events=(ended,)))
    assert store.notifier.watched() == set()


def test_words_are_over_with_the_next_fact_of_their_turn_and_not_with_one_before_them() -> None:
    store, live, _ = parts()
    words = live.begin(WordsHead("s", "t", 1, 4), turn_base=2)
    for number, turn_id, turn_seq in ((4, "t", 2), (5, None, None), (6, "other", 9)):
        event = Event("s", number, turn_id, turn_seq, "message", b"{}", 0.0)
        store.notifier.publish(Signal(frozenset({"s"}), events=(event,)))
        assert live.of("s") is words
    store.notifier.publish(Signal(frozenset({"s"}), events=(Event("s", 7, "t", 3, "usage", b"{}", 0.0),)))
    assert live.of("s") is None


async def test_a_reader_that_leaves_wants_no_words_any_more() -> None:
    _, _, broadcaster = parts()
    followed = broadcaster._followed
    with followed.subscribed("s", with_words=True) as (session, first), followed.subscribed("s", with_words=True):
        assert len(session.word_readers) == 2
        assert broadcaster._hearer._wanted == {"s": 2}
    assert first not in session.word_readers
    assert broadcaster._hearer._wanted == {}


async def test_words_from_elsewhere_wake_readers_of_words_and_no_others() -> None:
    _, _, broadcaster = parts(WordsElsewhere())
    followed = broadcaster._followed
    with (
        followed.subscribed("s", with_words=True) as (_, reader),
        followed.subscribed("s", with_words=False) as (_, reader_of_facts),
    ):
        await broadcaster._hearer.sweep()

        assert (reader.is_set(), reader_of_facts.is_set()) == (True, False)


def an_event(number: int, turn_id: str | None = None, turn_seq: int | None = None, kind: str = "message") -> Event:
    return Event("s", number, turn_id, turn_seq, kind, b"{}", 0.0)


def publish(store: Any, *events: Event, **how: Any) -> None:
    store.notifier.publish(Signal(frozenset({event.session_id for event in events}), events=events, **how))


def numbers(events: Sequence[Event] | None) -> list[int] | None:
    return None if events is None else [event.session_seq for event in events]


@pytest.mark.parametrize(
    ("number", "after"), [(2, None), (3, [4, 5, 6]), (4, [5, 6]), (5, [6]), (6, []), (7, None), (0, None)]
)
def test_a_tail_gives_what_comes_after_a_number_only_if_it_has_all_of_that(
    number: int, after: list[int] | None
) -> None:
    followed = Followed()
    assert followed.after(number) is None
    for event in (4, 5, 6):
        followed.add(an_event(event))

    assert numbers(followed.after(number)) == after


def test_a_tail_of_one_event_gives_it_to_those_before_it() -> None:
    followed = Followed()
    followed.add(an_event(4))
    assert numbers(followed.after(3)) == [4]


@pytest.mark.parametrize(("turn_id", "number", "after"), [("t", 0, [4, 5, 6]), ("t", 1, [6]), ("t", 2, None)])
def test_a_tail_gives_what_comes_from_the_next_event_of_a_turn_on(
    turn_id: str, number: int, after: list[int] | None
) -> None:
    followed = Followed()
    for event in (an_event(3, "other", 2), an_event(4, "t", 1), an_event(5), an_event(6, "t", 2)):
        followed.add(event)

    assert numbers(followed.after_turn_event(turn_id, number)) == after
    assert followed.after_turn_event("gone", number) is None


@pytest.mark.parametrize(
    ("announced", "tail"), [((4, 5), [4, 5]), ((4, 4), [4]), ((4, 6), [6]), ((4, 5, 3), [4, 5]), ((1,), [1])]
)
def test_each_event_of_a_tail_follows_the_one_before_it(announced: Sequence[int], tail: list[int]) -> None:
    followed = Followed()
    for number in announced:
        followed.add(an_event(number))

    assert numbers(list(followed.tail)) == tail


def test_readers_of_a_session_hear_its_facts_and_others_do_not() -> None:
    store, _, broadcaster = parts()
    followed = broadcaster._followed
    with (
        followed.subscribed("s", with_words=True) as (session, reader),
        followed.subscribed("s", with_words=False) as (same, reader_of_facts),
        followed.subscribed("other", with_words=True) as (_, other),
    ):
        publish(store, an_event(4))

        assert same is session
        assert (reader.is_set(), reader_of_facts.is_set(), other.is_set()) == (True, True, False)
        assert numbers(list(session.tail)) == [4]
        store.notifier.publish(Signal(frozenset(), is_everything=True))
        assert other.is_set()
        assert not session.tail


def test_own_words_wake_readers_of_words_and_no_others() -> None:
    _, live, broadcaster = parts()
    followed = broadcaster._followed
    words = live.begin(WordsHead("s", "t", 1, 4), turn_base=2)
    with (
        followed.subscribed("s", with_words=True) as (_, reader),
        followed.subscribed("s", with_words=False) as (_, reader_of_facts),
    ):
        live.add(words, "token", "Hi")

        assert (reader.is_set(), reader_of_facts.is_set()) == (True, False)


def test_a_session_whose_turn_has_ended_stays_as_long_as_it_has_a_reader() -> None:
    store, _, broadcaster = parts()
    publish(store, an_event(1, "t", 1, TURN_STARTED))
    with broadcaster._followed.subscribed("s", with_words=False) as (session, _):
        publish(store, an_event(2, "t", 2, "done"))

        assert broadcaster._followed.all() == [session]
        assert numbers(list(session.tail)) == [1, 2]
    assert broadcaster._followed.all() == []


def test_a_session_whose_turn_runs_stays_without_a_reader() -> None:
    store, _, broadcaster = parts()
    publish(store, an_event(1, "t", 1, TURN_STARTED))
    (session,) = broadcaster._followed.all()
    with broadcaster._followed.subscribed("s", with_words=True) as (same, _):
        assert same is session
    assert broadcaster._followed.all() == [session]
    assert session.readers == session.word_readers == set()


def test_facts_of_a_session_that_nobody_follows_are_not_kept() -> None:
    store, live, broadcaster = parts()
    with broadcaster._followed.subscribed("s", with_words=False) as (session, _):
        elsewhere = Event("nobody", 1, "t", 1, "message", b"{}", 0.0)
        publish(store, elsewhere, an_event(2, "t", 1))
        live.add(live.begin(WordsHead("nobody", "t", 1, 1), turn_base=1), "token", "Hi")

        assert broadcaster._followed.all() == [session]
        assert numbers(list(session.tail)) == [2]


def test_after_a_commit_of_another_node_its_session_is_only_read_from_the_store() -> None:
    store, _, broadcaster = parts()
    publish(store, an_event(1, "t", 1, TURN_STARTED))
    with broadcaster._followed.subscribed("s", with_words=True) as (session, changed):
        store.notifier.publish(Signal(frozenset({"s", "unknown"})))

        assert changed.is_set()
        assert session.after(1) is None
        assert broadcaster._followed.all() == [session]
    # The turn may have ended there, so nothing keeps the session.
    assert broadcaster._followed.all() == []


def test_a_running_session_without_readers_is_let_go_after_a_commit_of_another_node() -> None:
    store, _, broadcaster = parts()
    publish(store, an_event(1, "t", 1, TURN_STARTED))
    store.notifier.publish(Signal(frozenset({"s"})))

    assert broadcaster._followed.all() == []


def test_a_reader_of_a_session_that_was_let_go_meanwhile_leaves_the_new_one_alone() -> None:
    store, _, broadcaster = parts()
    followed = broadcaster._followed
    with followed.subscribed("s", with_words=False) as (session, _):
        followed._sessions.clear()
        publish(store, an_event(1, "t", 1, TURN_STARTED))
        (newer,) = followed.all()
        assert newer is not session
    assert followed.all() == [newer]


@pytest.mark.parametrize(("ends", "is_kept"), [(WordsEnd(1, 4, 1), True), (WordsEnd(1, 3, 1), False), (None, False)])
def test_words_are_kept_for_readers_with_the_fact_that_names_them(ends: WordsEnd | None, is_kept: bool) -> None:
    store, live, broadcaster = parts()
    words = live.begin(WordsHead("s", "t", 1, 4), turn_base=2)
    with broadcaster._followed.subscribed("s", with_words=True) as (session, _):
        publish(store, replace(an_event(5, "t", 3, "usage"), ends=ends))

        assert live.of("s") is None
        assert session.ended == ((5, words) if is_kept else None)
        publish(store, an_event(6, "t", 4))
        assert session.ended == ((5, words) if is_kept else None)
        assert numbers(list(session.tail)) == [5, 6]
