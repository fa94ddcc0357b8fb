"""Frames: the numbered events of a stream, as clients read them. Every replay of a log gives the same numbers."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson

# The last line of a complete stream.
DONE = b"data: [DONE]\n\n"


class NumberedFrame(NamedTuple):
    number: int
    type: str
    # JSON without line breaks.
    data: bytes

    @property
    def wire(self) -> bytes:
        return b"event: %b\ndata: %b\n\n" % (self.type.encode(), self.data)


class DeltaForm:
    """Makes the delta frames of one item. Only number and text differ between them, so the rest is encoded once."""

    def __init__(self, type_: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        """`before` and `after` are the fields before and after the delta."""
        self._type = type_
        self._head = b'{"type":%b,"sequence_number":' % orjson.dumps(type_)
        self._before = b',%b,"delta":' % orjson.dumps(before)[1:-1]
        self._after = b",%b}" % orjson.dumps(after)[1:-1] if after else b"}"

    def frame(self, number: int, text: str) -> NumberedFrame:
        data = b"%b%d%b%b%b" % (self._head, number, self._before, orjson.dumps(text), self._after)
        return NumberedFrame(number, self._type, data)
