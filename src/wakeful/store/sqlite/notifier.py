"""Commits of this process, told to this process: one engine holds a SQLite file, so nobody else needs to know."""

from collections.abc import Callable, Iterable

from wakeful.store.base import Listener, Signal
from wakeful.store.listeners import Listeners


class LocalNotifier:
    def __init__(self) -> None:
        self._listeners = Listeners()

    def listen(self, listener: Listener) -> None:
        self._listeners.add(listener)

    def watch(self, followed: Callable[[], Iterable[str]]) -> None:
        """No signal is lost on the way from this process to itself."""

    def publish(self, signal: Signal) -> None:
        self._listeners.tell(signal)
