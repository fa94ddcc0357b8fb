"""Loads a part of the program only where it is needed."""

from importlib import import_module
from typing import Any


def load(name: str) -> Any:
    """Import `name`, which is module:attribute."""
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)
