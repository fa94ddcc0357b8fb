"""Faults in what is done: statements skipped or in another order, limits not enforced, cleanup forgotten."""

import ast
from collections.abc import Iterator
from itertools import pairwise
from typing import TypeGuard

from mutants.kinds.kind import Kind
from mutants.source import Edit, Source, is_unplanted

_LEAVES = ast.Raise | ast.Return | ast.Continue | ast.Break


def _skipped_await(source: Source, node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Await) and not _is_cleanup(source, node):
        yield source.replace(node, b"pass")


def _skipped_call(source: Source, node: ast.AST) -> Iterator[Edit]:
    if _is_call(node) and not _is_cleanup(source, node):
        yield source.replace(node, b"pass")


def _forgotten_state(source: Source, node: ast.AST) -> Iterator[Edit]:
    """A value that is not written to where it outlives the function."""
    if _is_write(node) and not _is_cleanup(source, node) and not _is_in_init(source, node):
        yield source.replace(node, b"pass")


def _no_limit(source: Source, node: ast.AST) -> Iterator[Edit]:
    if _is_guard(node) and isinstance(node.body[-1], ast.Raise):
        yield source.replace(node, b"pass")


def _no_early_leave(source: Source, node: ast.AST) -> Iterator[Edit]:
    if _is_guard(node) and not isinstance(node.body[-1], ast.Raise):
        yield source.replace(node, b"pass")


def _forgotten_cleanup(source: Source, node: ast.AST) -> Iterator[Edit]:
    if not isinstance(node, ast.stmt) or not _is_cleanup(source, node) or _would_return_anyway(source, node):
        return
    if _is_effect(node) or isinstance(node, _LEAVES):
        yield source.replace(node, b"pass")


def _swallowed_error(source: Source, node: ast.AST) -> Iterator[Edit]:
    """A handler that no longer raises. The walk of nodes leaves raises out, so this looks from above."""
    if isinstance(node, ast.ExceptHandler) and isinstance(node.body[-1], ast.Raise):
        yield source.replace(node.body[-1], b"pass")


def _no_lock(source: Source, node: ast.AST) -> Iterator[Edit]:
    """The block runs without what `with` would hold around it."""
    if isinstance(node, ast.With | ast.AsyncWith) and len(node.items) == 1 and node.items[0].optional_vars is None:
        start, end = source.span(node)[0], source.span(node.items[0].context_expr)[1]
        if b"\n" not in source.content[start:end]:
            yield Edit(start, end, b"if True")


def _swapped_order(source: Source, node: ast.AST) -> Iterator[Edit]:
    """Two steps, one of which takes time. When a line of the log is written does not matter."""
    for name in ("body", "orelse", "finalbody"):
        body = getattr(node, name, None)
        if not isinstance(body, list):
            continue
        for first, second in pairwise(body):
            if is_unplanted(first) or is_unplanted(second):
                continue
            if _is_effect(first) and _is_effect(second) and (_is_awaited(first) or _is_awaited(second)):
                start, middle = source.span(first)
                later, end = source.span(second)
                between = source.content[middle:later]
                yield Edit(start, end, source.text(second) + between + source.text(first))


def _is_guard(node: ast.AST) -> TypeGuard[ast.If]:
    if not isinstance(node, ast.If) or node.orelse or not isinstance(node.body[-1], _LEAVES):
        return False
    return not any(isinstance(part, ast.NamedExpr) for part in ast.walk(node.test))


def _is_cleanup(source: Source, node: ast.stmt) -> bool:
    above = source.parent(node)
    return isinstance(above, ast.ExceptHandler) or (isinstance(above, ast.Try) and node in above.finalbody)


def _would_return_anyway(source: Source, node: ast.stmt) -> bool:
    """Whether it returns nothing, in the last lines of a function."""
    match node:
        case ast.Return(value=None | ast.Constant(value=None)):
            function = source.parent(trying) if (trying := _try_around(source, node)) else None
            return isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and function.body[-1] is trying
    return False


def _try_around(source: Source, node: ast.stmt) -> ast.Try | None:
    return next((above for above in source.around(node) if isinstance(above, ast.Try)), None)


def _is_effect(node: ast.AST) -> bool:
    return _is_call(node) or _is_awaited(node) or _is_write(node)


def _is_call(node: ast.AST) -> TypeGuard[ast.Expr]:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)


def _is_awaited(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Await)


def _is_write(node: ast.AST) -> TypeGuard[ast.Assign | ast.AugAssign | ast.Delete]:
    match node:
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            return all(isinstance(target, ast.Attribute | ast.Subscript) for target in targets)
        case ast.AugAssign():
            return True
    return False


def _is_in_init(source: Source, node: ast.AST) -> bool:
    """An attribute that is never set breaks whatever reads it."""
    above = source.parent(node)
    return isinstance(above, ast.FunctionDef) and above.name in {"__init__", "__post_init__"}


KINDS = [
    Kind("await skipped", _skipped_await, 2),
    Kind("call skipped", _skipped_call),
    Kind("state not written", _forgotten_state),
    Kind("limit not enforced", _no_limit, 2),
    Kind("early leave dropped", _no_early_leave),
    Kind("cleanup dropped", _forgotten_cleanup),
    Kind("error swallowed", _swallowed_error),
    Kind("block without its lock", _no_lock),
    Kind("order swapped", _swapped_order),
]
