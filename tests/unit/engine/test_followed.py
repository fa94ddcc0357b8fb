"""Which sessions a node asks about when it may have missed a notification."""

from collections.abc import Callable, Iterable
from typing import Any

from tests.engine.kit import FakeClock
from wakeful.engine.broadcaster import Broadcaster
from wakeful.engine.words import LiveWords
from wakeful.engine.words_hearer import WordsHearer
from wakeful.model.event import TURN_STARTED, Event
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

    def __init__(self) -> None:
        self.notifier = WatchingNotifier()
        self.words = None


def test_sessions_with_readers_and_those_where_a_turn_runs_are_asked_about() -> None:
    store: Any = NotifierOnly()
    live = LiveWords(FakeClock())
    broadcaster = Broadcaster(store, live, WordsHearer(store, live, FakeClock()))
    started, ended = (
        Event("runs", place, "t", place, kind, b"{}", 0.0) for place, kind in ((1, TURN_STARTED), (2, "done"))
    )

    with broadcaster._followed.subscribed("read", with_words=True):
        store.notifier.publish(Signal(frozenset({"runs"}), events=(started,)))
        assert store.notifier.watched() == {"read", "runs"}
    store.notifier.publish(Signal(frozenset({"runs"}), events=(ended,)))
    assert store.notifier.watched() == set()
