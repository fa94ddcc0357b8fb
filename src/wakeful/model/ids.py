"""Names for new things: a prefix that tells the noun, then time and chance, so that ids sort by age."""

import os
import time


def new_id(prefix: str) -> str:
    milliseconds = time.time_ns() // 1_000_000
    return f"{prefix}_{milliseconds:012x}{os.urandom(10).hex()}"
