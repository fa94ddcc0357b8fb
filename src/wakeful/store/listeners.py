"""Those of this process who want to hear of commits."""

import logging

from wakeful.store.base import Listener, Signal

logger = logging.getLogger(__name__)


class Listeners:
    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def add(self, listener: Listener) -> None:
        self._listeners.append(listener)

    def tell(self, signal: Signal) -> None:
        for listener in self._listeners:
            try:
                listener(signal)
            except Exception:
                # The commit has happened: neither its author nor the other listeners may suffer from this one.
                logger.exception("a listener failed on a commit")
