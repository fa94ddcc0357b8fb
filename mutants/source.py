"""A source file whose pieces can be replaced while every other byte stays as it is."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

# What changes no behaviour that a test should notice.
_UNPLANTED_FUNCTIONS = {"__repr__", "__str__"}
_LOGGERS = {"log", "_log", "logger", "_logger", "logging", "warnings"}
_FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Edit:
    """The bytes from `start` to `end` become `new`."""

    start: int
    end: int
    new: bytes


class Source:
    def __init__(self, path: str, content: bytes) -> None:
        """`path` is below the root of the working copy, with slashes."""
        self.path = path
        self.content = content
        self.tree = ast.parse(content)
        self._line_starts = [0]
        for line in content.splitlines(keepends=True):
            self._line_starts.append(self._line_starts[-1] + len(line))
        self._parents = {child: parent for parent in ast.walk(self.tree) for child in ast.iter_child_nodes(parent)}

    @cached_property
    def lines(self) -> list[str]:
        return self.content.decode().splitlines()

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self._line_starts[node.lineno - 1] + node.col_offset
        return start, self._line_starts[node.end_lineno - 1] + node.end_col_offset

    def text(self, node: ast.expr | ast.stmt) -> bytes:
        start, end = self.span(node)
        return self.content[start:end]

    def replace(self, node: ast.expr | ast.stmt, new: bytes) -> Edit:
        return Edit(*self.span(node), new)

    def line_of(self, position: int) -> int:
        return self.content.count(b"\n", 0, position) + 1

    def parent(self, node: ast.AST) -> ast.AST | None:
        return self._parents.get(node)

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes that contain this one, from the inside out."""
        while (above := self._parents.get(node)) is not None:
            yield above
            node = above

    def statement_lines(self, position: int) -> range:
        """The lines of the innermost statement of a function there, without its block; none outside of functions."""
        inside = [node for node in self._statements if self.span(node)[0] <= position < self.span(node)[1]]
        if not inside or not any(isinstance(node, _FUNCTION) for node in inside[:-1]):
            return range(0)
        return range(inside[-1].lineno, _head_end(inside[-1]) + 1)

    @cached_property
    def function_lines(self) -> set[int]:
        """The lines that run only when something is called."""
        functions = [node for node in self._statements if isinstance(node, _FUNCTION)]
        return {line for node in functions for line in range(node.body[0].lineno, (node.end_lineno or 0) + 1)}

    @cached_property
    def _statements(self) -> list[ast.stmt]:
        """From the outside in, as `ast.walk` goes by breadth."""
        return [node for node in ast.walk(self.tree) if isinstance(node, ast.stmt)]

    def users_of(self, position: int) -> set[int]:
        """The lines in functions that use the name which a statement of the module gives there, or one made of it."""
        names = self._named_at(position)
        grown = True
        while grown:
            more = {name for other in self.tree.body if _mentions(other, names) for name in _names_given(other)}
            grown = not more <= names
            names |= more
        uses = (node for node in ast.walk(self.tree) if isinstance(node, ast.Name) and node.id in names)
        return {node.lineno for node in uses} & self.function_lines

    def _named_at(self, position: int) -> set[str]:
        for statement in self.tree.body:
            start, end = self.span(statement)
            if start <= position < end:
                return _names_given(statement)
        return set()

    def changed(self, edit: Edit) -> bytes:
        return self.content[: edit.start] + edit.new + self.content[edit.end :]

    def plantable(self) -> Iterator[ast.AST]:
        """Every node in which a fault would be one: no annotation, log line, error text or code for types only."""
        yield from _plantable(self.tree)


def _names_given(statement: ast.stmt) -> set[str]:
    match statement:
        case ast.Assign(targets=targets):
            return {target.id for target in targets if isinstance(target, ast.Name)}
        case ast.AnnAssign(target=ast.Name(id=name)):
            return {name}
    return set()


def _mentions(statement: ast.stmt, names: set[str]) -> bool:
    return any(isinstance(node, ast.Name) and node.id in names for node in ast.walk(statement))


def _head_end(statement: ast.stmt) -> int:
    body = getattr(statement, "body", None)
    if not isinstance(body, list):
        return statement.end_lineno or statement.lineno
    first: ast.stmt = body[0]
    return max(statement.lineno, first.lineno - 1)


def _plantable(node: ast.AST) -> Iterator[ast.AST]:
    if is_unplanted(node):
        return
    yield node
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "type_params", "decorator_list"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _plantable(child)


def is_unplanted(node: ast.AST) -> bool:
    match node:
        case ast.Import() | ast.ImportFrom() | ast.Assert():
            return True
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return name in _UNPLANTED_FUNCTIONS
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))) if name in _LOGGERS:
            return True
        case ast.Call(func=ast.Name(id="assert_never" | "cast" | "TypeVar" | "NewType")):
            return True
        case ast.Raise():
            # A lost raise is planted at the guard around it; its words are not tested one by one.
            return True
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.ClassDef(bases=bases):
            return any(isinstance(base, ast.Name) and base.id == "Protocol" for base in bases)
    return False
