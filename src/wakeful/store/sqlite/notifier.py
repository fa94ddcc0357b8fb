"""Notifies listeners in this process of commits: no other process can have the SQLite file open."""

from collections.abc import Callable, Iterable

from wakeful.store.base import Listener, Signal
from wakeful.store.listeners import Listeners


class LocalNotifier:
    def __init__(self) -> None:
        self._listeners = Listeners()

    def listen(self, listener: Listener) -> None:
        self._listeners.add(listener)

    def watch(self, followed: Callable[[], Iterable[str]]) -> None:
        """Do nothing: signals within one process are not lost."""

    def publish(self, signal: Signal) -> None:
        self._listeners.notify(signal)
