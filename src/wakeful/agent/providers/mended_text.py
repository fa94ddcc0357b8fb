"""Repairs text that cannot be encoded as UTF-8.

JSON may contain half of a surrogate pair: endpoints that cut tokens between UTF-16 units send an emoji in two halves.
Neither orjson nor UTF-8 accepts a half.
"""


def mended(text: str) -> str:
    """Join adjacent halves; a half alone becomes U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


class MendedText:
    """Mends a text that arrives in pieces: a first half at the end of a piece is held back until the next piece."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._held = ""

    @property
    def whole(self) -> str:
        return "".join(self._pieces)

    def add(self, piece: str) -> str:
        """Take a piece as received; return what can be shown now."""
        if not self._held and piece.isascii():
            return self._keep(piece)
        # An empty piece is ASCII, so there is a last character.
        piece = self._held + piece
        self._held = ""
        if "\ud800" <= piece[-1] <= "\udbff":
            self._held = piece[-1]
            piece = piece[:-1]
        return self._keep(mended(piece))

    def finish(self) -> str:
        """Return what was held back, after the last piece."""
        rest, self._held = self._held, ""
        return self._keep(mended(rest))

    def _keep(self, piece: str) -> str:
        if piece:
            self._pieces.append(piece)
        return piece
