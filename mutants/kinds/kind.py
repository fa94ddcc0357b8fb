"""A kind of fault: a name for people, and where in a source it can be planted."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mutants.source import Edit, Source

Plant = Callable[[Source, ast.AST], Iterator[Edit]]


@dataclass(frozen=True, slots=True)
class Kind:
    name: str
    plant: Plant
    # A kind with weight 2 is chosen twice as often as one with weight 1.
    weight: float = 1.0


def name_of(node: ast.AST) -> str:
    """The name of a variable or an attribute; empty for anything else."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""
