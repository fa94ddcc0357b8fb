"""Highlights code with a few classes that the style sheet defines.

Some of the 500 lexers take minutes for a single token of odd input, so only those on a list are used. Long code and
long lines are not highlighted, nor is the rest of the code when the time is up.
"""

from __future__ import annotations

import time
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # Imported when the first code is highlighted.
    from pygments.lexer import Lexer
    from pygments.token import _TokenType

CLASSES = frozenset({"hl-k", "hl-s", "hl-f", "hl-c", "hl-n", "hl-del", "hl-add"})

_MOST_CHARACTERS = 50_000
_LONGEST_LINE = 1_000
_MOST_SECONDS = 0.05

# The names that people write after ```, each with a lexer that was tested with hostile input. Left out on purpose:
# matlab (20 s for a page of blank lines), psql, and http, which picks another lexer by the content.
LANGUAGES = frozenset(
    [
        "asm",
        "awk",
        "bash",
        "bat",
        "batch",
        "c",
        "c#",
        "c++",
        "cfg",
        "clojure",
        "cmake",
        "console",
        "cpp",
        "crystal",
        "cs",
        "csharp",
        "css",
        "cuda",
        "d",
        "dart",
        "diff",
        "docker",
        "dockerfile",
        "dosini",
        "elisp",
        "elixir",
        "elm",
        "erlang",
        "ex",
        "fish",
        "fortran",
        "fsharp",
        "glsl",
        "go",
        "golang",
        "graphql",
        "groovy",
        "haskell",
        "hcl",
        "hs",
        "html",
        "ini",
        "java",
        "javascript",
        "js",
        "json",
        "json5",
        "jsx",
        "julia",
        "kotlin",
        "latex",
        "less",
        "lisp",
        "llvm",
        "lua",
        "make",
        "makefile",
        "markdown",
        "md",
        "mysql",
        "nasm",
        "nginx",
        "nim",
        "nix",
        "objc",
        "objective-c",
        "ocaml",
        "perl",
        "php",
        "pl",
        "plpgsql",
        "posh",
        "postgresql",
        "powershell",
        "properties",
        "proto",
        "protobuf",
        "ps1",
        "py",
        "pycon",
        "pytb",
        "python",
        "python3",
        "r",
        "racket",
        "rb",
        "rs",
        "ruby",
        "rust",
        "sass",
        "scala",
        "scheme",
        "scss",
        "sh",
        "shell",
        "sql",
        "sqlite3",
        "swift",
        "systemd",
        "tcl",
        "terraform",
        "tex",
        "tf",
        "toml",
        "ts",
        "tsx",
        "typescript",
        "typst",
        "udiff",
        "verilog",
        "vhdl",
        "vim",
        "vue",
        "wast",
        "xml",
        "yaml",
        "yml",
        "zig",
        "zsh",
    ]
)
# Otherwise a fence inside Markdown could choose any lexer.
_OPTIONS = {"handlecodeblocks": False}

# The class of a token is that of the first kind here which includes the token's kind.
_KINDS = (
    ("Token.Comment", "hl-c"),
    ("Token.Keyword", "hl-k"),
    ("Token.Name.Tag", "hl-k"),
    ("Token.Literal.String", "hl-s"),
    ("Token.Literal.Number", "hl-n"),
    ("Token.Name.Function", "hl-f"),
    ("Token.Name.Class", "hl-f"),
    ("Token.Name.Decorator", "hl-f"),
    ("Token.Generic.Deleted", "hl-del"),
    ("Token.Generic.Inserted", "hl-add"),
    ("Token.Generic.Heading", "hl-f"),
    ("Token.Generic.Subheading", "hl-f"),
    ("Token.Generic.Prompt", "hl-c"),
)


def coloured(code: str, language: str) -> str:
    """Return the code as HTML with exactly the same text."""
    name = language.lower()
    if name not in LANGUAGES or not _is_modest(code):
        return escape(code, quote=False)
    # Loading a lexer for the first time takes longer than most code.
    lexer = _load(name)
    # CPU time of this thread, so that a busy machine highlights as much.
    latest = time.thread_time() + _MOST_SECONDS
    parts: list[str] = []
    position = 0
    for start, kind, text in lexer.get_tokens_unprocessed(code):
        if start != position or time.thread_time() > latest:
            break
        position += len(text)
        parts.append(_part(kind, text))
    return "".join(parts) + escape(code[position:], quote=False)


def _part(kind: _TokenType, text: str) -> str:
    name = _class_of(kind)
    words = escape(text, quote=False)
    return f'<span class="{name}">{words}</span>' if name and not text.isspace() else words


@lru_cache(maxsize=1024)
def _class_of(kind: _TokenType) -> str:
    ancestors = {str(ancestor) for ancestor in kind.split()}
    return next((name for ancestor, name in _KINDS if ancestor in ancestors), "")


@lru_cache(maxsize=len(LANGUAGES))
def _load(language: str) -> Lexer:
    from pygments.lexers import get_lexer_by_name

    return get_lexer_by_name(language, **_OPTIONS)


def _is_modest(code: str) -> bool:
    return len(code) <= _MOST_CHARACTERS and all(len(line) <= _LONGEST_LINE for line in code.split("\n"))
