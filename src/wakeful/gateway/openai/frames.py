"""A frame: one numbered event of a stream, as a client reads it. Numbers follow from the log, the same for ever."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson

# The last line of a stream that came to its end.
DONE = b"data: [DONE]\n\n"


class NumberedFrame(NamedTuple):
    number: int
    type: str
    # JSON on one line.
    data: bytes

    @property
    def wire(self) -> bytes:
        return b"event: %b\ndata: %b\n\n" % (self.type.encode(), self.data)


class DeltaForm:
    """The frames of the pieces of one item. They differ in number and text alone, and there are many: the rest is
    written once.
    """

    def __init__(self, type_: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        """`before` and `after` are what stands around the text."""
        self._type = type_
        self._head = b'{"type":%b,"sequence_number":' % orjson.dumps(type_)
        self._before = b',%b,"delta":' % orjson.dumps(before)[1:-1]
        self._after = b",%b}" % orjson.dumps(after)[1:-1] if after else b"}"

    def frame(self, number: int, text: str) -> NumberedFrame:
        data = b"%b%d%b%b%b" % (self._head, number, self._before, orjson.dumps(text), self._after)
        return NumberedFrame(number, self._type, data)
