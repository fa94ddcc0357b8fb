"""Deletes in texts that are no clean shell: code of another language, or a text with an odd quote. It sees too much
rather than too little.
"""

import re
from collections.abc import Iterator

from wakeful.tools.shell_carriers import name_of

# A word that resolves to no place, for what cannot be told.
UNKNOWN = "$?"

_PIECES = re.compile(r"[;&|\n()`]")
_MARKS = re.compile(r"[\"'\[\],\\{}<>]")
_RM = re.compile(r"\brm\b|\brimraf\b")
_CODE = re.compile(r"\b(?:rmtree|remove_tree|rmSync|rmdirSync|rm_rf|rm_r|rimraf|fs\.rm|fsPromises\.rm|removeSync)\b")
_FIRST_TEXT = re.compile(r"""\s{0,9}\(?\s{0,9}(["'])([^"'\n]{1,500})\1""")


def pieces_of(text: str) -> Iterator[list[str]]:
    """The words between what may separate commands, without any quotes."""
    for piece in _PIECES.split(text):
        if words := _MARKS.sub(" ", piece).split():
            yield words


def deletes_in_words(words: list[str]) -> Iterator[list[str]]:
    """From the first rm on, wherever it stands."""
    for position, word in enumerate(words):
        if name_of(word) in ("rm", "rimraf"):
            yield words[position:]
            # What follows is among these words too.
            return


def deletes_in_text(text: str) -> Iterator[list[str]]:
    if _RM.search(text):
        for words in pieces_of(text):
            yield from deletes_in_words(words)
    for call in _CODE.finditer(text):
        named = _FIRST_TEXT.match(text, call.end())
        yield ["rm", "-r", named[2] if named else UNKNOWN]
