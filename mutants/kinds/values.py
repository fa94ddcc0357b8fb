"""Faults in values: numbers one too large or small, arguments in the wrong place, the other end of an order."""

import ast
from collections.abc import Iterator
from itertools import pairwise

from mutants.kinds.kind import Kind, name_of
from mutants.source import Edit, Source

_LARGEST_COUNTED = 9
# Swapped, their arguments mean the same, or nothing at all.
_UNORDERED = {"min", "max", "isinstance", "issubclass", "getattr", "hasattr"}
_OTHER_FUNCTION = {"min": b"max", "max": b"min", "any": b"all", "all": b"any", "reversed": b"iter"}


def _other_number(source: Source, node: ast.AST) -> Iterator[Edit]:
    """Small numbers count and point at things; a large one is a choice, and one more or less is as good."""
    if isinstance(node, ast.Constant) and type(node.value) is int and node.value <= _LARGEST_COUNTED:
        for step in (1, -1):
            other = repr(node.value + step)
            yield source.replace(node, (f"({other})" if other.startswith("-") else other).encode())


def _other_truth(source: Source, node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.Constant) and isinstance(node.value, bool) and not _is_left_to_others(source, node):
        yield source.replace(node, repr(not node.value).encode())


def _is_left_to_others(source: Source, node: ast.AST) -> bool:
    """As `frozen=True` of a class is to the type checker, and `strict=True` of zip to those who made the lists."""
    above = source.parent(node)
    match above, source.parent(above) if above is not None else None:
        case (ast.keyword(arg="kw_only"), _) | (ast.keyword(), ast.ClassDef() | ast.Call(func=ast.Name(id="zip"))):
            return True
    return False


def _other_end(source: Source, node: ast.AST) -> Iterator[Edit]:
    match node:
        case ast.Call(func=ast.Name(id=name)) if name in _OTHER_FUNCTION:
            yield source.replace(node.func, _OTHER_FUNCTION[name])
        case ast.Call(func=ast.Name(id="sorted")):
            yield source.replace(node, b"list(reversed(%s))" % source.text(node))


def _swapped_arguments(source: Source, node: ast.AST) -> Iterator[Edit]:
    """Two neighbours that are both names, such as two ids: what a type checker would let pass."""
    if not isinstance(node, ast.Call) or name_of(node.func) in _UNORDERED:
        return
    for first, second in pairwise(node.args):
        if _is_name(first) and _is_name(second):
            between = source.content[source.span(first)[1] : source.span(second)[0]]
            start, end = source.span(first)[0], source.span(second)[1]
            yield Edit(start, end, source.text(second) + between + source.text(first))


def _is_name(node: ast.AST) -> bool:
    """A variable or an attribute; a capital letter names a class or a constant."""
    return name_of(node).islower()


KINDS = [
    Kind("number off by one", _other_number, 2),
    Kind("true/false swapped", _other_truth),
    Kind("other end taken", _other_end),
    Kind("arguments swapped", _swapped_arguments),
]
