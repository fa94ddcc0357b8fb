"""Binds each turn to the context, by the adapter of its door, while the turn runs."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from wakeful.context import clear_session_vars, set_cron_auto_delivery
from wakeful.engine.cron_runs import CRON
from wakeful.gateway.platforms.base import BasePlatformAdapter
from wakeful.model.turn import Turn


class AdapterBinder:
    """The engine's TurnBinder."""

    def __init__(self, adapters: Sequence[BasePlatformAdapter]) -> None:
        self._adapters = {adapter.name: adapter for adapter in adapters}

    @contextmanager
    def bind(self, turn: Turn) -> Iterator[None]:
        """Bind the context while the block runs, and clear it afterwards: the next turn may use another door."""
        tokens = self._adapter(turn).bind_turn(turn)
        _bind_cron_target(turn)
        try:
            yield
        finally:
            clear_session_vars(tokens)
            set_cron_auto_delivery()

    def can_ask(self, turn: Turn) -> bool:
        """Return whether a person can be asked while this turn runs."""
        return self._adapter(turn).can_ask

    def _adapter(self, turn: Turn) -> BasePlatformAdapter:
        return self._adapters.get(turn.door.name) or _RemovedAdapter(turn.door.name)


def _bind_cron_target(turn: Turn) -> None:
    """Bind where a scheduled turn answers; for others nothing, as they may begin in the context of a scheduled one."""
    address = turn.address
    if turn.source == CRON and address.platform != CRON:
        set_cron_auto_delivery(address.platform, address.chat_id, address.thread_id)
    else:
        set_cron_auto_delivery()


class _RemovedAdapter(BasePlatformAdapter):
    """Stands in for a door that was removed: the turn's row says what it could deliver, and no person can be asked."""

    can_ask = False

    def __init__(self, name: str) -> None:
        self.name = name
