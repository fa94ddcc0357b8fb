"""Checks which rooms import which, and some smaller rules, by the syntax tree of every file in the package."""

import ast
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "wakeful"

# A room is a folder or a file at the root of the package, and may always import itself. Imports go
# downwards only: a room may import nothing that its row does not list.
LEAVES = {"errors", "context", "opened_files", "under_way"}
EVERYTHING = {"*"}
MAY_IMPORT = {
    "errors": set(),
    "context": {"errors"},
    "opened_files": set(),
    "under_way": set(),
    "network": {"errors"},
    "model": {"errors"},
    "store": {"model", *LEAVES},
    "engine": {"model", "store.base", *LEAVES},
    "tools": {"model", "network", *LEAVES},
    "agent": {"model", "network", "tools.base", *LEAVES},
    "wire": {"model", *LEAVES},
    "gateway": {"model", "network", "engine", "store.base", "wire", *LEAVES},
    "web": {"model", "engine", "store.base", "wire", *LEAVES},
    "config": EVERYTHING,
    "cli": EVERYTHING,
    "app": EVERYTHING,
    "building": EVERYTHING,
    "__main__": {"cli"},
}

# Inner rooms that know what they share, and nothing of each other: the two stores, and the families of an API.
STRANGERS = [
    {"store.sqlite", "store.postgres"},
    {"gateway.openai.chat", "gateway.openai.responses", "gateway.openai.runs", "gateway.openai.models"},
    {"web.approvals", "web.facts", "web.html", "web.tasks"},
    {"cli.asking", "cli.chat"},
]

# More than this, and a folder hides its shape.
MOST_FILES = 20

# A checker takes a file's path below the package and its source, and yields (line, rule) for each breach.
Breach = tuple[int, str]
Checker = Callable[[str, str], Iterator[Breach]]


def test_imports_go_downwards_only() -> None:
    assert_nowhere(upward_imports)


def test_what_lies_in_one_folder_imports_in_one_direction() -> None:
    found = circles(dict(sources()))

    assert found == []


def test_no_folder_has_too_many_files() -> None:
    files: dict[str, int] = defaultdict(int)
    for path, _ in sources():
        files[str(Path(path).parent)] += not path.endswith("__init__.py")

    assert {folder: count for folder, count in files.items() if count > MOST_FILES} == {}


def test_a_name_means_one_thing() -> None:
    assert clashes(dict(sources())) == []


def test_functions_do_not_import_our_own_modules() -> None:
    assert_nowhere(imports_in_functions)


def test_init_files_are_empty() -> None:
    assert_nowhere(filled_init_files)


def test_broad_exceptions_are_not_swallowed() -> None:
    assert_nowhere(swallowed_exceptions)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("model/turn.py", "import wakeful.engine.executor"),
        ("model/turn.py", "from wakeful.context import turn_id"),
        ("store/base.py", "from wakeful.engine import ports"),
        ("store/sqlite/turns.py", "from wakeful.store.postgres.turns import decode"),
        ("engine/executor.py", "from wakeful.agent.loop import run"),
        ("engine/executor.py", "from wakeful.store.sqlite.store import SqliteStore"),
        ("engine/executor.py", "from wakeful.store import sqlite"),
        ("engine/executor.py", "import wakeful.store"),
        ("engine/executor.py", "from wakeful import app"),
        ("engine/executor.py", "from wakeful import *"),
        ("engine/executor.py", "from .. import agent"),
        ("engine/executor.py", "from ..agent import loop"),
        ("engine/executor.py", "def run():\n    from wakeful.agent import loop"),
        ("engine/executor.py", "if TYPE_CHECKING:\n    from wakeful.agent.loop import Loop"),
        ("agent/loop.py", "from wakeful.engine.ports import AgentLoop"),
        ("agent/loop.py", "from wakeful.tools.registry import Registry"),
        ("agent/loop.py", "from wakeful.store.base import Store"),
        ("tools/files.py", "from wakeful.agent.prompt import render"),
        ("gateway/http.py", "from wakeful.web.routes import routes"),
        ("gateway/http.py", "from wakeful.config import Config"),
        ("web/routes.py", "from wakeful.gateway.ingress import Ingress"),
        ("wire/sse.py", "from wakeful.engine.engine import Engine"),
        ("errors.py", "from wakeful.model.turn import Turn"),
        ("attic/old.py", ""),
    ],
)
def test_checker_catches_a_forbidden_import(path: str, source: str) -> None:
    assert list(upward_imports(path, source))


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("model/turn.py", "import dataclasses\nfrom wakeful.model.session import Session"),
        ("model/turn.py", "from . import session\nfrom ..errors import WakefulError"),
        ("store/sqlite/turns.py", "from wakeful.store.base import Store\nfrom wakeful.model import turn"),
        ("engine/executor.py", "from wakeful.store.base import Store\nfrom wakeful.context import turn_id"),
        ("engine/executor.py", "from wakeful.store import base\nimport wakeful.store.base"),
        ("agent/loop.py", "from wakeful.tools.base import Tool"),
        ("gateway/openai/runs.py", "from wakeful.engine.engine import Engine"),
        ("web/streams.py", "from wakeful.wire.sse import EventStream"),
        ("cli/main.py", "from wakeful.app import build\nimport wakeful.store.sqlite.store"),
        ("__main__.py", "from wakeful.cli.main import main"),
        ("__init__.py", ""),
        ("tools/files.py", "import wakefulness"),
    ],
)
def test_checker_accepts_an_allowed_import(path: str, source: str) -> None:
    assert list(upward_imports(path, source)) == []


def test_checker_names_the_line_and_the_rule() -> None:
    source = "import os\nfrom wakeful.agent.loop import run\n"

    breaches = list(upward_imports("engine/executor.py", source))

    assert breaches == [
        (2, "engine may import context, errors, model, opened_files, store.base, under_way; not agent.loop.run")
    ]


def test_checker_catches_a_circle_between_rooms_and_accepts_one_direction() -> None:
    one_way = {
        "web/web.py": "from wakeful.web.feeds.rows import Row",
        "web/tasks/routes.py": "from wakeful.web.web import Web",
        "web/feeds/rows.py": "",
    }

    assert circles(one_way) == []
    assert circles(one_way | {"web/feeds/news.py": "from wakeful.web.tasks.routes import Tasks"}) == [
        "wakeful.web: feeds, tasks, web"
    ]


def test_checker_catches_strangers_that_import_each_other() -> None:
    assert list(upward_imports("gateway/openai/chat/stream.py", "from wakeful.gateway.openai.runs.run import Run"))
    assert not list(upward_imports("gateway/openai/chat/stream.py", "from wakeful.gateway.openai.usage import Usage"))


def test_checker_catches_a_name_with_two_meanings() -> None:
    sources = {
        "model/turn.py": "class Turn: ...\nclass _Own: ...\nlogger = 1",
        "web/turn.py": "class Turn: ...\nclass _Own: ...\nlogger = 1",
        "store/sqlite/turns.py": "class Turns: ...",
        "store/postgres/turns.py": "class Turns: ...",
    }

    assert clashes(sources) == ["Turn: model/turn.py, web/turn.py"]


def test_checker_catches_an_import_in_a_function() -> None:
    source = """
import wakeful.model.turn
def run():
    import heavy_optional_package
    async def inner():
        from wakeful.model import session
"""
    assert [line for line, _ in imports_in_functions("engine/executor.py", source)] == [6]


def test_checker_catches_a_filled_init_file() -> None:
    assert list(filled_init_files("engine/__init__.py", "from wakeful.engine.engine import Engine\n"))
    assert list(filled_init_files("engine/__init__.py", "\n")) == []
    assert list(filled_init_files("engine/engine.py", "x = 1\n")) == []


@pytest.mark.parametrize(
    "source",
    [
        "try:\n    f()\nexcept Exception:\n    pass",
        "try:\n    f()\nexcept:\n    ...",
        "try:\n    f()\nexcept (OSError, BaseException) as error:\n    pass",
        "with contextlib.suppress(Exception):\n    f()",
    ],
)
def test_checker_catches_a_swallowed_exception(source: str) -> None:
    assert list(swallowed_exceptions("engine/executor.py", source))


@pytest.mark.parametrize(
    "source",
    [
        "try:\n    f()\nexcept Exception:\n    log.exception('f failed')",
        "try:\n    f()\nexcept FileNotFoundError:\n    pass",
        "with contextlib.suppress(FileNotFoundError):\n    f()",
    ],
)
def test_checker_accepts_a_handled_or_narrow_exception(source: str) -> None:
    assert list(swallowed_exceptions("engine/executor.py", source)) == []


def assert_nowhere(checker: Checker) -> None:
    breaches = [
        f"src/wakeful/{path}:{line}: {rule}" for path, source in sources() for line, rule in checker(path, source)
    ]
    if breaches:
        pytest.fail("\n".join(breaches), pytrace=False)


def sources() -> Iterator[tuple[str, str]]:
    for file in sorted(PACKAGE.rglob("*.py")):
        yield file.relative_to(PACKAGE).as_posix(), file.read_text(encoding="utf-8")


@cache
def syntax_of(source: str) -> ast.Module:
    return ast.parse(source)


def upward_imports(path: str, source: str) -> Iterator[Breach]:
    if path == "__init__.py":
        return
    room = path.removesuffix(".py").split("/")[0]
    if room not in MAY_IMPORT:
        yield 1, f"{room} has no row in the table of tests/test_architecture.py"
        return
    for line, target in own_imports(path, syntax_of(source)):
        if not may_import(room, target):
            row = ", ".join(sorted(MAY_IMPORT[room])) or "nothing"
            yield line, f"{room} may import {row}; not {target}"
        for here, there in strangers(dotted(path), target):
            yield line, f"{here} and {there} never import each other"


def strangers(here: str, there: str) -> Iterator[tuple[str, str]]:
    """Yield the two rooms, when an import leads from one to another that it must not know."""
    for group in STRANGERS:
        mine = [room for room in group if is_inside(here, room)]
        others = [room for room in group if is_inside(there, room)]
        yield from ((first, second) for first in mine for second in others if first != second)


def circles(sources: Mapping[str, str]) -> list[str]:
    """Name each folder whose files and folders import each other in a circle, and the members of the circle."""
    imports: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for path, source in sources.items():
        here = ["wakeful", *dotted(path).split(".")]
        for _, target in own_imports(path, syntax_of(source)):
            there = ["wakeful", *target.split(".")]
            shared = next((n for n, (a, b) in enumerate(zip(here, there, strict=False)) if a != b), None)
            if shared is not None:
                imports[".".join(here[:shared])][here[shared]].add(there[shared])
    rings = {folder: [name for name in own if name in reachable(own, name)] for folder, own in imports.items()}
    return [f"{folder}: {', '.join(sorted(ring))}" for folder, ring in sorted(rings.items()) if ring]


def reachable(imports: Mapping[str, set[str]], start: str) -> set[str]:
    seen: set[str] = set()
    ahead = [start]
    while ahead:
        new = imports.get(ahead.pop(), set()) - seen
        seen |= new
        ahead += new
    return seen


def clashes(sources: Mapping[str, str]) -> list[str]:
    """Name each public class or function that two modules define, unless they are siblings in the two stores."""
    homes: dict[str, set[str]] = defaultdict(set)
    for path, source in sources.items():
        for node in syntax_of(source).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith(
                "_"
            ):
                homes[node.name].add(path)
    several = {name: paths for name, paths in homes.items() if len({without_store(path) for path in paths}) > 1}
    return [f"{name}: {', '.join(sorted(paths))}" for name, paths in sorted(several.items())]


def without_store(path: str) -> str:
    return path.replace("store/sqlite/", "store/*/").replace("store/postgres/", "store/*/")


def imports_in_functions(path: str, source: str) -> Iterator[Breach]:
    nodes = ast.walk(syntax_of(source))
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    # A set, because an import in a nested function is inside both functions.
    for line, target in sorted({found for function in functions for found in own_imports(path, function)}):
        yield line, f"our own modules are imported at the top of a file; not {target} in a function"


def filled_init_files(path: str, source: str) -> Iterator[Breach]:
    if Path(path).name == "__init__.py" and source.strip():
        yield 1, "__init__ files stay empty"


def swallowed_exceptions(path: str, source: str) -> Iterator[Breach]:
    for node in ast.walk(syntax_of(source)):
        if isinstance(node, ast.ExceptHandler) and is_broad(node.type) and does_nothing(node.body):
            yield node.lineno, "a broad exception is logged and recorded, never ignored"
        if isinstance(node, ast.Call) and name_of(node.func) == "suppress" and any(map(is_broad, node.args)):
            yield node.lineno, "a broad exception is logged and recorded, never suppressed"


def may_import(room: str, target: str) -> bool:
    allowed = MAY_IMPORT[room]
    return allowed == EVERYTHING or any(is_inside(target, other) for other in {room, *allowed})


def own_imports(path: str, tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the line and the dotted name below the package, such as `store.base.Store`, of each import of our own."""
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    for node in imports:
        for name in imported_names(path, node):
            if is_inside(name, "wakeful"):
                yield node.lineno, name.removeprefix("wakeful").removeprefix(".")


def imported_names(path: str, node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    start = relative_start(path, node.level) if node.level else []
    module = [*start, node.module] if node.module else start
    return [".".join([*module, alias.name]) for alias in node.names]


def relative_start(path: str, level: int) -> list[str]:
    """Return the package that the dots of a relative import stand for."""
    folders = ["wakeful", *path.split("/")[:-1]]
    return folders[: len(folders) - level + 1]


def dotted(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


def is_inside(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def is_broad(kind: ast.expr | None) -> bool:
    if isinstance(kind, ast.Tuple):
        return any(map(is_broad, kind.elts))
    return kind is None or name_of(kind) in {"Exception", "BaseException"}


def name_of(node: ast.expr) -> str:
    """Return the last part: `suppress` for both `suppress` and `contextlib.suppress`."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def does_nothing(body: list[ast.stmt]) -> bool:
    return all(
        isinstance(statement, ast.Pass)
        or (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
        for statement in body
    )
