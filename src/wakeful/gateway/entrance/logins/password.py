"""The optional password of the page."""

import secrets
from hashlib import blake2b
from hmac import compare_digest


class Password:
    """Keeps a digest under a salt of its own, never the word."""

    def __init__(self, word: str) -> None:
        """An empty word: there is no password, and none fits."""
        self.is_set = bool(word)
        self._salt = secrets.token_bytes(16)
        self._digest = self._digest_of(word)

    def fits(self, word: str) -> bool:
        """Takes the same time however much of it is right."""
        return compare_digest(self._digest, self._digest_of(word)) and self.is_set

    def _digest_of(self, word: str) -> bytes:
        return blake2b(word.encode("utf-8", "surrogatepass"), salt=self._salt).digest()
