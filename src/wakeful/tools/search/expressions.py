"""Compiles expressions with RE2, whose time grows with the length of the text and never faster."""

from collections.abc import Callable
from typing import Any

from wakeful.tools.base import Unusable
from wakeful.tools.search.globs import character_of, glob_expression


def compiled(expression: str) -> Any:
    """Compile an expression that reads UTF-8 and never matches a line break. Raises Unusable."""
    # Here and not above: a server that is never asked to search does not load it.
    import re2

    options = re2.Options()
    options.log_errors = False
    options.never_nl = True
    try:
        return re2.compile(expression, options)
    except re2.error as error:
        reason = error.args[0].decode(errors="replace") if isinstance(error.args[0], bytes) else str(error)
        raise Unusable(f"pattern is not a regular expression that search_files knows: {reason}") from error


def compiled_for_bytes(expression: str) -> Any:
    """Compile an expression that reads bytes, as ripgrep does for the names in ignore files. Raises re2.error."""
    import re2

    options = re2.Options()
    options.log_errors = False
    options.dot_nl = True
    options.encoding = re2.Options.Encoding.LATIN1
    return re2.compile(expression.encode("ascii"), options)


def path_filter(glob: str, prefix: str) -> Callable[[bytes], bool]:
    """Return whether the glob of a call lets a path through: by its name at any depth, or, if it has a slash, by the
    path with or without the prefix. Raises Unusable.
    """
    if not glob:
        return lambda path: True
    expression = _compiled_glob(glob if "/" in glob else f"**/{glob}")
    before = prefix.encode(errors="replace")
    return lambda path: bool(expression.fullmatch(path) or expression.fullmatch(before + path))


def _compiled_glob(glob: str) -> Any:
    """Compile the glob of a call; match whole paths with it. Raises Unusable."""
    try:
        return compiled(f"(?s){glob_expression(glob, character_of)}")
    except (ValueError, TypeError) as error:
        raise Unusable(f"glob has {error}") from error
    except Unusable as error:
        raise Unusable("glob is not a valid glob") from error
