"""What a node keeps of the sessions that have readers or turns on it, and which of them it polls."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tests.engine.kit import FakeClock
from wakeful.engine.readers.broadcaster import Broadcaster
from wakeful.engine.words.hearer import WordsHearer
from wakeful.engine.words.words import LiveWords
from wakeful.model.event import TURN_STARTED, Event
from wakeful.model.words import Said, WordsHead, WordsPart
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
