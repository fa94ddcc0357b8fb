"""Faults that show one person what is another's: the owner not compared, or not handed on."""

import ast
from collections.abc import Iterator

from mutants.kinds.kind import Kind, name_of
from mutants.source import Edit, Source

_OWNERS = {"owner", "owners", "person", "principal", "principals"}


def names_an_owner(node: ast.AST) -> bool:
    return any(name_of(part) in _OWNERS for part in ast.walk(node))


def _not_compared(source: Source, node: ast.AST) -> Iterator[Edit]:
    """The comparison comes out as it does for the owner."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and names_an_owner(node):
        refuses = isinstance(node.ops[0], ast.NotEq | ast.NotIn | ast.IsNot)
        yield source.replace(node, b"False" if refuses else b"True")


def _not_handed_on(source: Source, node: ast.AST) -> Iterator[Edit]:
    if not isinstance(node, ast.Call):
        return
    for value in (*node.args, *(keyword.value for keyword in node.keywords)):
        if name_of(value) in _OWNERS:
            yield source.replace(value, b"None")


KINDS = [Kind("owner not compared", _not_compared, 2), Kind("owner not handed on", _not_handed_on)]
