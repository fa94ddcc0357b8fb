"""Finds deletes in texts that are not clean shell: code in another language, or a text with an odd quote. False
positives are fine here.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from wakeful.tools.commands.shell.carriers import name_of

# A word for a value that cannot be known; it resolves to no path.
UNKNOWN = "$?"

_PIECE = re.compile(r"[^;&|\n()`]+")
_MARKS = re.compile(r"[\"'\[\],\\{}<>]")
_DELETERS = frozenset({"rm", "rimraf", "unlink", "shred"})
_RM = re.compile(r"\b(?:rm|rimraf|unlink|shred)\b")
_TEXT = r"""(?P<quote>["'])(?P<text>[^"'\n]{1,500})(?P=quote)"""
_FIRST_TEXT = re.compile(rf"\s{{0,9}}\(?\s{{0,9}}[rbuf]?{_TEXT}")
_SECOND_TEXT = re.compile(rf"\s{{0,9}},\s{{0,9}}[rbuf]?{_TEXT}")
_WRITING_MODE = re.compile(r"""\s{0,9},\s{0,9}(?:mode\s{0,9}=\s{0,9})?["'][wx]""")
# A call whose argument is not a string literal; perl needs no parentheses.
_OTHER_ARGUMENT = re.compile(r"\(|\s{1,9}(?:glob\b|<|[$@])")
_PERL_OPEN = re.compile(
    rf"""\s{{0,9}}\(?\s{{0,9}}(?:my\s)?[$\w]{{1,50}}\s{{0,9}},\s{{0,9}}["']\+?>[^"'>]{{0,30}}["']\s{{0,9}},\s{{0,9}}{_TEXT}"""
)
# Whole folders; single files; one name for another; new contents.
_CALL = re.compile(
    r"\b(?P<tree>rmtree|remove_tree|rmSync|rmdirSync|rm_rf|rm_r|rimraf|fs\.rm|fsPromises\.rm|removeSync)\b"
    r"|\b(?P<file>os\.(?:remove|unlink|rmdir|removedirs)|unlinkSync|fs\.unlink|unlink|File\.delete|FileUtils\.rm)\b"
    r"|\b(?P<move>shutil\.move|os\.(?:rename|replace)|renameSync|File\.rename)\b"
    r"|\b(?P<copy>shutil\.copy(?:2|file|tree)?|copyFileSync|cpSync|copySync|FileUtils\.cp(?:_r)?)\b"
    r"|\b(?P<write>open|writeFileSync|truncateSync|os\.truncate|File\.write|file_put_contents)\b"
)
_PATH_CALL = re.compile(
    r"""\bPath\(\s{0,9}(["'])(?P<text>[^"'\n]{1,500})\1\s{0,9}\)\s{0,9}\.(?P<name>unlink|rmdir|write_text|write_bytes)\b"""
)
_PATH_TEXT = re.compile(r"""["']((?:/|~|\.\.)[^"'\n]{0,500})["']""")


@dataclass(frozen=True, slots=True)
class Loose:
    """The words of a command, and the piece of the text that contains them."""

    words: list[str]
    excerpt: str
    end: int


def pieces_of(text: str) -> Iterator[Loose]:
    """Yield the words between separators of commands, without quotes."""
    for piece in _PIECE.finditer(text):
        if words := _MARKS.sub(" ", piece.group()).split():
            yield Loose(words, piece.group().strip(), piece.end())


def deletes_in_words(words: list[str]) -> Iterator[list[str]]:
    """Yield the words from the first deleting program on, wherever it is."""
    for position, word in enumerate(words):
        if name_of(word) in _DELETERS:
            yield words[position:]
            # A second one is among these words too.
            return


def deletes_in_text(text: str) -> Iterator[Loose]:
    if _RM.search(text):
        for piece in pieces_of(text):
            for words in deletes_in_words(piece.words):
                if words[0] not in ("unlink", "shred") or len(words) > 1:
                    yield Loose(words, piece.excerpt, piece.end)
    yield from calls_in_text(text)


def calls_in_text(text: str) -> Iterator[Loose]:
    """Yield calls in other languages that delete, move or overwrite."""
    for call in _PATH_CALL.finditer(text):
        program = "rm" if call["name"] in ("unlink", "rmdir") else "truncate"
        yield Loose([program, call["text"]], call.group(), call.end())
    for call in _CALL.finditer(text):
        for words in _called(call, text):
            yield Loose(words, _line_around(text, call), call.end())


def _called(call: re.Match[str], text: str) -> Iterator[list[str]]:
    named = _FIRST_TEXT.match(text, call.end())
    if call["tree"]:
        yield ["rm", "-r", named["text"] if named else UNKNOWN]
    elif call["file"]:
        if named:
            yield ["rm", named["text"]]
        elif _OTHER_ARGUMENT.match(text, call.end()):
            # The argument is unknown: it may be any path that the text names.
            yield ["rm", *(path[1] for path in _PATH_TEXT.finditer(text))]
    elif call["move"] and named:
        target = _SECOND_TEXT.match(text, named.end())
        yield ["mv", named["text"], target["text"] if target else UNKNOWN]
    elif call["copy"]:
        if named and (target := _SECOND_TEXT.match(text, named.end())):
            yield ["cp", "-r", named["text"], target["text"]]
    elif perl := _PERL_OPEN.match(text, call.end()):
        yield ["truncate", perl["text"]]
    elif named and (call["write"] != "open" or _WRITING_MODE.match(text, named.end())):
        yield ["truncate", named["text"]]


def _line_around(text: str, call: re.Match[str]) -> str:
    end = text.find("\n", call.end())
    return text[call.start() : end if end >= 0 else len(text)].strip()
