"""Runs a command's coroutine."""

from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run(main: Coroutine[Any, Any, T]) -> T:
    import uvloop

    return uvloop.run(main)
