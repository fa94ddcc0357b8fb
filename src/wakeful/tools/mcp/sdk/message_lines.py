"""Cuts the output of a stdio server into messages, and survives servers that write anything else."""

import re
from dataclasses import dataclass, field

# A picture of 5 MiB fits well; a message is in memory several times while it is read.
LARGEST_MESSAGE = 16 * 1024 * 1024
# The id of a message is near one of its ends.
_ENDS = 512
_ID = re.compile(rb'"id"\s*:\s*(\d{1,15})')


@dataclass(slots=True)
class MessageLines:
    """Feed it what the server writes; it returns whole lines. Of a line that is too long it returns an error to the
    request whose id stands near its beginning or end, so that its call does not wait for the timeout.
    """

    _parts: list[bytes] = field(default_factory=list)
    _size: int = 0
    # The first bytes of a line that is too long.
    _head: bytes = b""
    _tail: bytes = b""

    def feed(self, chunk: bytes) -> list[bytes]:
        found: list[bytes] = []
        *lines, rest = chunk.split(b"\n")
        for line in lines:
            self._add(line)
            found += self._finish()
        self._add(rest)
        return found

    def _add(self, part: bytes) -> None:
        self._size += len(part)
        if self._size <= LARGEST_MESSAGE:
            self._parts.append(part)
            return
        if self._parts:
            self._head = b"".join(self._parts)[:_ENDS]
            self._parts.clear()
        self._head = (self._head + part[:_ENDS])[:_ENDS]
        self._tail = (self._tail + part)[-_ENDS:]

    def _finish(self) -> list[bytes]:
        if self._size <= LARGEST_MESSAGE:
            line = b"".join(self._parts).strip()
            found = [line] if line else []
        else:
            request = _ID.search(self._head) or _ID.search(self._tail)
            found = [_too_large(int(request[1]))] if request else []
        self._parts, self._size, self._head, self._tail = [], 0, b"", b""
        return found


def _too_large(request: int) -> bytes:
    sentence = f"The answer is larger than {LARGEST_MESSAGE // 1024 // 1024} MiB."
    return f'{{"jsonrpc": "2.0", "id": {request}, "error": {{"code": -32603, "message": "{sentence}"}}}}'.encode()
