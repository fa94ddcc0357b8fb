"""Names for new things: a prefix that tells the noun, then time and chance, so that ids sort by age."""

import os
import time

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_LENGTH = 26  # 130 bits in fives: 48 of milliseconds, 80 of chance


def new_id(prefix: str) -> str:
    number = (time.time_ns() // 1_000_000 << 80) | int.from_bytes(os.urandom(10))
    letters = [_ALPHABET[number >> shift & 31] for shift in range((_LENGTH - 1) * 5, -1, -5)]
    return f"{prefix}_{''.join(letters)}"
