"""Ids of new objects: a prefix for the kind of object, then time and random bytes, so that ids sort by age."""

import os
import time


def new_id(prefix: str) -> str:
    milliseconds = time.time_ns() // 1_000_000
    return f"{prefix}_{milliseconds:012x}{os.urandom(10).hex()}"
