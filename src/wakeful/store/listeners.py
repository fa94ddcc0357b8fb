"""The functions in this process that are called after each commit."""

import logging

from wakeful.store.base import Listener, Signal

logger = logging.getLogger(__name__)


class Listeners:
    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def add(self, listener: Listener) -> None:
        self._listeners.append(listener)

    def notify(self, signal: Signal) -> None:
        for listener in self._listeners:
            try:
                listener(signal)
            except Exception:
                # The commit has happened, so its caller and the other listeners must continue.
                logger.exception("a listener to commits failed")
