"""Searching: which words a text has, and which of them somebody looks for.

Both stores index the words that are made here, so that they find the same in every script. Case and accents do not
count. Where a script puts no spaces between its words, every character and every pair of neighbours is a word.
"""

import hashlib
import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from wakeful.model.journal.entry import Entry, EntryKind, is_gone

# Of a text that is longer, only the beginning can be found: its words are made while others wait to write.
_MOST_CHARACTERS = 64_000
# What is longer is no word that anybody types.
_LONGEST_WORD = 64
# Kana, Han, Thai, Lao, Myanmar, Khmer.
_DENSE = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
# Signs that belong to the letter before them: Hebrew, Arabic, the scripts of India.
_SIGNS = r"\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0dff"
_ACCENTS = re.compile(r"[\u0300-\u036f]+")
_DENSE_RUN = re.compile(f"[{_DENSE}]+")
_RUN = re.compile(rf"[{_DENSE}]+|(?:[^\W_{_DENSE}]|[{_SIGNS}])+")
_ASCII_RUN = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What somebody looks for: all of these words, and one that begins so, unless that is empty."""

    words: tuple[str, ...]
    beginning: str = ""

    @property
    def is_nothing(self) -> bool:
        return not self.words and not self.beginning

    def is_in(self, words: Collection[str]) -> bool:
        has_all = all(word in words for word in self.words)
        return has_all and (not self.beginning or any(word.startswith(self.beginning) for word in words))


@dataclass(frozen=True, slots=True)
class Hit:
    """The entry of the journal in which it was found."""

    turn_id: str
    step: int
    index: int


def index_words(text: str) -> list[str]:
    """Its words, each once."""
    runs = dict.fromkeys(_runs(normalized(text[:_MOST_CHARACTERS])))
    return list(dict.fromkeys(word for run in runs for word in _words_in(run)))


def wanted_in(query: str) -> Wanted:
    """All words have to be there. The last one may still be being typed, unless something stands behind it."""
    text = normalized(query)
    runs = list(_runs(text))
    words = tuple(word for run in runs for word in _wanted_of(run))
    if not runs or not text.endswith(runs[-1]) or _DENSE_RUN.match(runs[-1]):
        return Wanted(words)
    return Wanted(words[:-1], words[-1])


def normalized(text: str) -> str:
    """Without what makes no difference: case and accents."""
    if text.isascii():
        return text.lower()
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", text.casefold()))
    return unicodedata.normalize("NFC", bare).casefold()


def searched_text(entry: Entry) -> str:
    """What of an entry is searched: what people and models have said. The results of tools are not."""
    if entry.kind is EntryKind.RESULT or is_gone(entry):
        return ""
    data = entry.data
    if data.get("role") == "tool" or "text" in data.get("deleted", ()):
        return ""
    return str(data.get("text") or "")


def owner_word(owner: str) -> str:
    """A word that no text has: what is indexed with it belongs to this owner."""
    return f"@{hashlib.md5(owner.encode(), usedforsecurity=False).hexdigest()}"


def _runs(text: str) -> Iterable[str]:
    return _ASCII_RUN.findall(text) if text.isascii() else _RUN.findall(text)


def _words_in(run: str) -> Iterable[str]:
    return (*run, *_pairs(run)) if _DENSE_RUN.match(run) else (run[:_LONGEST_WORD],)


def _wanted_of(run: str) -> list[str]:
    """Pairs say all that their characters would."""
    return _pairs(run) or list(_words_in(run))


def _pairs(run: str) -> list[str]:
    """Of neighbours, where words have no spaces between them."""
    return [run[at : at + 2] for at in range(len(run) - 1)] if _DENSE_RUN.match(run) else []
