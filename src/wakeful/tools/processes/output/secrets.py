"""Masks known secrets in what is shown and logged."""

import re
from collections.abc import Iterable

# Shorter secrets occur in ordinary words: the key `x` of a local model would turn "exist" into "e***ist".
_SHORTEST = 8
_MASK = b"***"


class Redactor:
    def __init__(self, secrets: Iterable[str]) -> None:
        known = {secret.encode() for secret in secrets if len(secret) >= _SHORTEST}
        # Longest first: one secret may be the beginning of another.
        ordered = sorted(known, key=len, reverse=True)
        self._pattern = re.compile(b"|".join(map(re.escape, ordered))) if ordered else None
        # How many bytes before and after a part are needed to find the secrets that reach into it.
        self.margin = max(map(len, known), default=0)

    def redact(self, data: bytes, start: int, end: int) -> bytes:
        """Return the bytes from start to end with each secret masked, also one that only reaches into them."""
        if self._pattern is None:
            return data[start:end]
        shown: list[bytes] = []
        position = start
        for found in self._pattern.finditer(data):
            if found.end() <= start:
                continue
            if found.start() >= end:
                break
            shown += [data[position : found.start()], _MASK]
            position = found.end()
        return b"".join([*shown, data[position:end]])

    def text(self, text: str) -> str:
        if self._pattern is None:
            return text
        return self._pattern.sub(_MASK, text.encode(errors="surrogatepass")).decode(errors="surrogatepass")
