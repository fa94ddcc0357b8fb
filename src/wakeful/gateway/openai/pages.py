"""Pages of what is told of a turn, as the engine gives them."""

from collections.abc import Sequence

from wakeful.model.event import Event, StreamItem


def is_last(page: Sequence[StreamItem]) -> bool:
    """Whether it tells the turn's end. A page is empty when its reader has caught up for the first time."""
    return bool(page) and isinstance(page[-1], Event) and page[-1].is_final
