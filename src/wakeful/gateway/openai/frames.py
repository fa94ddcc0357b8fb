"""A frame: one numbered event of a stream, as a client reads it. Numbers follow from the log, the same for ever."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol

from wakeful.model.event import Event

# The last line of a stream that came to its end.
DONE = b"data: [DONE]\n\n"


class Frame(NamedTuple):
    number: int
    type: str
    # JSON on one line.
    data: bytes

    @property
    def wire(self) -> bytes:
        return b"event: %b\ndata: %b\n\n" % (self.type.encode(), self.data)


class Projection(Protocol):
    def feed(self, event: Event) -> list[Frame]:
        """Take the next event of the log; return the frames that it makes, which may be none."""
        ...


def resume(projection: Projection, events: Iterable[Event], starting_after: int) -> Iterator[Frame]:
    """The frames with a higher number than that. The projection is a fresh one and the events begin with the first,
    for a frame depends on all that was before it; -1 gives every frame.
    """
    for event in events:
        for frame in projection.feed(event):
            if frame.number > starting_after:
                yield frame
