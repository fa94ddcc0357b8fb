"""Faults in what decides: conditions dropped or turned round, and comparisons off by one."""

import ast
import re
from collections.abc import Iterator

from mutants.kinds.kind import Kind, name_of
from mutants.kinds.owners import names_an_owner
from mutants.source import Edit, Source

_BOUNDS = {b"<": b"<=", b"<=": b"<", b">": b">=", b">=": b">"}
_OPPOSITES = {
    b"==": b"!=",
    b"!=": b"==",
    b"is": b"is not",
    b"is not": b"is",
    b"in": b"not in",
    b"not in": b"in",
}
_OPERATOR = re.compile(rb"<=|>=|==|!=|<|>|\bis\s+not\b|\bis\b|\bnot\s+in\b|\bin\b")


def _dropped_parts(source: Source, node: ast.AST) -> Iterator[Edit]:
    """One part of `and` becomes True, of `or` False: the rest then decides alone. A default is left out wholly."""
    if not isinstance(node, ast.BoolOp):
        return
    neutral = b"True" if isinstance(node.op, ast.And) else b"False"
    for before, part in zip([None, *node.values], node.values, strict=False):
        if before is not None and isinstance(part, ast.Constant):
            yield Edit(source.span(before)[1], source.span(part)[1], b"")
        elif not _binds(part) and not names_an_owner(part):
            yield source.replace(part, neutral)


def _decided(source: Source, node: ast.AST) -> Iterator[Edit]:
    """A condition that always, or never, holds. A loop is only skipped: one that never ends tells little."""
    if not isinstance(node, ast.If | ast.While | ast.IfExp) or isinstance(node.test, ast.Constant) or _binds(node.test):
        return
    if not isinstance(node, ast.While):
        yield source.replace(node.test, b"True")
    yield source.replace(node.test, b"False")


def _decided_filter(source: Source, node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.comprehension):
        for condition in node.ifs:
            if not _binds(condition):
                yield source.replace(condition, b"True")


def _lost_not(source: Source, node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        start, end = source.span(node)
        yield Edit(start, end, source.content[start + len("not") : end].lstrip())


def _and_or(source: Source, node: ast.AST) -> Iterator[Edit]:
    if not isinstance(node, ast.BoolOp) or len(node.values) != 2:
        return
    word, other = (b"and", b"or") if isinstance(node.op, ast.And) else (b"or", b"and")
    start, end = source.span(node.values[0])[1], source.span(node.values[1])[0]
    found = re.search(rb"\b%s\b" % word, source.content[start:end])
    if found:
        yield Edit(start + found.start(), start + found.end(), other)


def _off_by_one(source: Source, node: ast.AST) -> Iterator[Edit]:
    if not _tells_the_time(node):
        yield from _other_operators(source, node, _BOUNDS)


def _opposite(source: Source, node: ast.AST) -> Iterator[Edit]:
    yield from _other_operators(source, node, _OPPOSITES)


def _other_operators(source: Source, node: ast.AST, others: dict[bytes, bytes]) -> Iterator[Edit]:
    if not isinstance(node, ast.Compare):
        return
    left = node.left
    for right in node.comparators:
        start, end = source.span(left)[1], source.span(right)[0]
        left = right
        found = _OPERATOR.search(source.content[start:end])
        if found and (other := others.get(b" ".join(found[0].split()))):
            yield Edit(start + found.start(), start + found.end(), other)


def _tells_the_time(comparison: ast.AST) -> bool:
    """Whether moments are compared: a clock never stands at the very one at which a bound would matter."""
    return any(_is_moment(name_of(node)) for node in ast.walk(comparison))


def _is_moment(name: str) -> bool:
    return name in {"now", "time", "monotonic", "deadline"} or name.lower().endswith(("_at", "_seconds"))


def _binds(condition: ast.AST) -> bool:
    """Whether it gives a name to a value: without the value, what follows fails in any test."""
    return any(isinstance(node, ast.NamedExpr) for node in ast.walk(condition))


KINDS = [
    Kind("part of a condition dropped", _dropped_parts, 2),
    Kind("condition decided", _decided, 2),
    Kind("filter dropped", _decided_filter),
    Kind("not lost", _lost_not),
    Kind("and/or swapped", _and_or),
    Kind("comparison off by one", _off_by_one, 2),
    Kind("comparison turned round", _opposite),
]
