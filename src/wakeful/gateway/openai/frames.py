"""A frame: one numbered event of a stream, as a client reads it. Numbers follow from the log, the same for ever."""

from typing import NamedTuple

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
