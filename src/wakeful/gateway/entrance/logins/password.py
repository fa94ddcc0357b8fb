"""The optional password of the page."""

import secrets
from hashlib import blake2b
from hmac import compare_digest


class Password:
    """Keeps a salted digest of the password, never the password itself."""

    def __init__(self, word: str) -> None:
        """An empty `word` means that no password is set; then none fits."""
        self.is_set = bool(word)
        self._salt = secrets.token_bytes(16)
        self._digest = self._digest_of(word)

    def fits(self, word: str) -> bool:
        """Return whether this is the password, in a time that does not depend on how much of it is right."""
        return compare_digest(self._digest, self._digest_of(word)) and self.is_set

    def _digest_of(self, word: str) -> bytes:
        return blake2b(word.encode("utf-8", "surrogatepass"), salt=self._salt).digest()
