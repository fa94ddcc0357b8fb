"""Text that can be encoded.

JSON may hold half of a surrogate pair, and endpoints that cut their tokens at UTF-16 units really send an emoji
in two halves. Neither orjson nor UTF-8 takes a half.
"""


def mended(text: str) -> str:
    """Join the halves that stand together; a half without its other becomes U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


class MendedText:
    """Mends a text that arrives in pieces: a first half at the end of a piece waits for the next piece."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._held = ""

    @property
    def whole(self) -> str:
        return "".join(self._pieces)

    def add(self, piece: str) -> str:
        """Take a piece as received; return what may be shown of it now."""
        if not self._held and piece.isascii():
            return self._keep(piece)
        piece = self._held + piece
        self._held = ""
        if piece and "\ud800" <= piece[-1] <= "\udbff":
            self._held = piece[-1]
            piece = piece[:-1]
        return self._keep(mended(piece))

    def finish(self) -> str:
        """Return what is left to show when nothing follows any more."""
        rest, self._held = self._held, ""
        return self._keep(mended(rest))

    def _keep(self, piece: str) -> str:
        if piece:
            self._pieces.append(piece)
        return piece
