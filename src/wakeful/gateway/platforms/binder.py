"""Binds each turn to the context by the adapter of its door, for as long as the turn runs."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from wakeful.context import clear_session_vars
from wakeful.gateway.platforms.base import BasePlatformAdapter
from wakeful.model.turn import Turn


class TurnBinder:
    def __init__(self, adapters: Sequence[BasePlatformAdapter]) -> None:
        self._adapters = {adapter.name: adapter for adapter in adapters}

    @contextmanager
    def bind(self, turn: Turn) -> Iterator[None]:
        """Afterwards nothing of the turn is left, so that its session may go on through another door."""
        tokens = self._adapter(turn).bind_turn(turn)
        try:
            yield
        finally:
            clear_session_vars(tokens)

    def can_ask(self, turn: Turn) -> bool:
        """Whether a person can be asked while this turn runs."""
        return self._adapter(turn).can_ask

    def _adapter(self, turn: Turn) -> BasePlatformAdapter:
        return self._adapters.get(turn.door.name) or _RemovedAdapter(turn.door.name)


class _RemovedAdapter(BasePlatformAdapter):
    """A door that is configured no more: the turn's row says what it could deliver, and nobody is behind it."""

    can_ask = False

    def __init__(self, name: str) -> None:
        self.name = name
