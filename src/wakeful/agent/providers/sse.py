"""Server-sent events, as far as model endpoints use them: bytes in, the data of whole events out."""


class EventParser:
    """Cuts a stream into events, wherever the network has cut its bytes. Only `data` fields matter here."""

    def __init__(self) -> None:
        self._tail = b""
        self._data: list[bytes] = []
        self._ended_in_cr = False
        self._is_first = True

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the data of every event that this chunk completes."""
        lines = (self._tail + self._with_plain_newlines(chunk)).split(b"\n")
        self._tail = lines.pop()
        return self._events(lines)

    def finish(self) -> list[bytes]:
        """Return what a stream that stops without its last blank line still holds; it may be half an event."""
        lines, self._tail = [self._tail, b""], b""
        return self._events(lines)

    def _with_plain_newlines(self, chunk: bytes) -> bytes:
        if not chunk:
            return chunk
        # A line may end in LF, CRLF or CR, and a CRLF may be split between two chunks.
        ended_in_cr, self._ended_in_cr = self._ended_in_cr, chunk.endswith(b"\r")
        if ended_in_cr and chunk.startswith(b"\n"):
            chunk = chunk[1:]
        if b"\r" in chunk:
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        return chunk

    def _events(self, lines: list[bytes]) -> list[bytes]:
        events = []
        for line in lines:
            if self._is_first:
                line = line.removeprefix(b"\xef\xbb\xbf")
                self._is_first = False
            if line.startswith(b"data:"):
                self._data.append(line[6:] if line.startswith(b"data: ") else line[5:])
            elif not line and self._data:
                events.append(b"\n".join(self._data))
                self._data = []
        return events
