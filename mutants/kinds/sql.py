"""Faults in SQL, inside string constants. A condition that is dropped keeps its parameter, or the call would fail."""

import ast
import re
from collections.abc import Callable, Iterator
from typing import TypeGuard

from mutants.kinds.kind import Kind, Plant
from mutants.source import Edit, Source

_IS_SQL = re.compile(rb"\b(SELECT|UPDATE|DELETE FROM|INSERT INTO|WHERE|ORDER BY|AND|FROM)\b")
_COLUMN = rb"(?:\w+\.)?\w+"
_VALUE = rb"(?:\?\d*|\$\d+(?:::\w+)?|:\w+|'\w*'|\d+)"
_COMPARED = rb"\b(?P<word>WHERE|AND)\s+(?P<condition>%s\s*(?:<=|>=|<>|!=|=|<|>)\s*%s)(?![\w:+*/-]|\s*[-+*/|])" % (
    _COLUMN,
    _VALUE,
)

Change = Callable[[re.Match[bytes]], bytes]


def _in_sql(pattern: bytes, change: Change) -> Plant:
    """Plant one fault at each place in SQL text that the pattern finds."""
    compiled = re.compile(pattern)

    def plant(source: Source, node: ast.AST) -> Iterator[Edit]:
        if not _is_whole_text(node, source):
            return
        start, end = source.span(node)
        text = source.content[start:end]
        if not _IS_SQL.search(text):
            return
        for found in compiled.finditer(text):
            yield Edit(start + found.start(), start + found.end(), change(found))

    return plant


def _is_whole_text(node: ast.AST, source: Source) -> TypeGuard[ast.Constant | ast.JoinedStr]:
    """A string constant or a whole f-string: before Python 3.12 the parts of one have no position of their own."""
    if isinstance(node, ast.JoinedStr):
        return not any(isinstance(above, ast.JoinedStr) for above in source.around(node))
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return False
    return not any(isinstance(above, ast.JoinedStr) for above in source.around(node))


def _tautology(found: re.Match[bytes]) -> bytes:
    return b"%s (%s OR TRUE)" % (found["word"], found["condition"])


def _without_owner(found: re.Match[bytes]) -> bytes:
    return found[0] if b"owner" not in found["condition"] else _tautology(found)


def _with_owner(found: re.Match[bytes]) -> bytes:
    return found[0] if b"owner" in found["condition"] else _tautology(found)


def _other_bound(found: re.Match[bytes]) -> bytes:
    """Not between moments, as in Python."""
    if found["left"].endswith((b"_at ", b"_until ")):
        return found[0]
    bound = {b"<": b"<=", b"<=": b"<", b">": b">=", b">=": b">"}[found["bound"]]
    return found["left"] + bound + found["right"]


def _one_more(found: re.Match[bytes]) -> bytes:
    return b"LIMIT %s + 1" % found["limit"]


KINDS = [
    Kind("SQL condition dropped", _in_sql(_COMPARED, _with_owner), 2),
    Kind("SQL owner not compared", _in_sql(_COMPARED, _without_owner), 2),
    Kind("SQL null test turned round", _in_sql(rb"\bIS NULL\b", lambda _: b"IS NOT NULL")),
    Kind("SQL null test turned round", _in_sql(rb"\bIS NOT NULL\b", lambda _: b"IS NULL")),
    Kind("SQL not lost", _in_sql(rb"\b(AND|WHERE) NOT\b", lambda found: found[1])),
    Kind(
        "SQL comparison off by one",
        _in_sql(rb"(?P<left>\w*[\w)] )(?P<bound><=|>=|<|>)(?P<right> [\w?$:({])", _other_bound),
    ),
    Kind("SQL order turned", _in_sql(rb" DESC\b", lambda _: b"")),
    Kind(
        "SQL order turned", _in_sql(rb"\bORDER BY %s(?=[ \"']|$)(?! DESC)" % _COLUMN, lambda found: found[0] + b" DESC")
    ),
    Kind("SQL limit off by one", _in_sql(rb"\bLIMIT (?P<limit>\?\d*|\$\d+|:\w+|(?!1\b)\d+)", _one_more)),
    Kind("SQL lock dropped", _in_sql(rb" FOR (UPDATE|SHARE)( OF \w+)?( SKIP LOCKED)?", lambda _: b"")),
    Kind("SQL lock waits", _in_sql(rb" SKIP LOCKED", lambda _: b"")),
    Kind("SQL other end taken", _in_sql(rb"\bmax\(", lambda _: b"min(")),
    Kind("SQL other end taken", _in_sql(rb"\bmin\(", lambda _: b"max(")),
    Kind("SQL conflict not handled", _in_sql(rb" ON CONFLICT DO NOTHING", lambda _: b"")),
]
