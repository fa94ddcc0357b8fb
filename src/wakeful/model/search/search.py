"""Full-text search: splits texts and queries into words.

Both stores index these words, so that they find the same in every script. Case and accents are ignored. In scripts
without spaces between words, every character and every pair of neighbouring characters is a word.
"""

import hashlib
import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from wakeful.model.journal.entry import Entry, EntryKind, is_gone

# Only the beginning of a longer text is indexed, because other writes wait meanwhile.
_MOST_CHARACTERS = 64_000
# Longer words are cut: queries do not have them.
_LONGEST_WORD = 64
# Kana, Han, Thai, Lao, Myanmar, Khmer.
_DENSE = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
# Marks that belong to the letter before them: Hebrew, Arabic, the scripts of India.
_SIGNS = r"\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0dff"
_ACCENTS = re.compile(r"[\u0300-\u036f]+")
_DENSE_RUN = re.compile(f"[{_DENSE}]+")
_RUN = re.compile(rf"[{_DENSE}]+|(?:[^\W_{_DENSE}]|[{_SIGNS}])+")
_ASCII_RUN = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A query: all of these words, and, unless it is empty, a word with this beginning."""

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
    """The journal entry in which a query was found."""

    turn_id: str
    step: int
    index: int


@dataclass(frozen=True, slots=True)
class FoundMessage:
    """The newest message of a session that a query was found in, or its title: then without a message's id."""

    session_id: str
    title: str
    message_id: str | None
    source: str
    created_at: float
    excerpt: str


def index_words(text: str) -> list[str]:
    """Return the distinct words of a text."""
    runs = dict.fromkeys(_runs(normalized(text[:_MOST_CHARACTERS])))
    return list(dict.fromkeys(word for run in runs for word in _words_in(run)))


def wanted_in(query: str) -> Wanted:
    """Parse a query. Its last word may be incomplete, as while typing, unless a space or other sign follows."""
    text = normalized(query)
    runs = list(_runs(text))
    words = tuple(word for run in runs for word in _wanted_of(run))
    if not runs or not text.endswith(runs[-1]) or _DENSE_RUN.match(runs[-1]):
        return Wanted(words)
    return Wanted(words[:-1], words[-1])


def normalized(text: str) -> str:
    """Return the text without case and accents."""
    if text.isascii():
        return text.lower()
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", text.casefold()))
    return unicodedata.normalize("NFC", bare).casefold()


def searched_text(entry: Entry) -> str:
    """Return the searchable text of an entry: what people and models wrote, but not the results of tools, nor a
    summary of what can be found where it was written.
    """
    if entry.kind in (EntryKind.RESULT, EntryKind.SUMMARY) or is_gone(entry):
        return ""
    data = entry.data
    if data.get("role") == "tool" or "text" in data.get("deleted", ()):
        return ""
    return str(data.get("text") or "")


def owner_word(owner: str) -> str:
    """Return a word that occurs in no text and is indexed with every text of this owner."""
    return f"@{hashlib.md5(owner.encode(), usedforsecurity=False).hexdigest()}"


def _runs(text: str) -> Iterable[str]:
    return _ASCII_RUN.findall(text) if text.isascii() else _RUN.findall(text)


def _words_in(run: str) -> Iterable[str]:
    return (*run, *_pairs(run)) if _DENSE_RUN.match(run) else (run[:_LONGEST_WORD],)


def _wanted_of(run: str) -> list[str]:
    """Return the words to look for: where there are pairs, single characters would add nothing."""
    return _pairs(run) or list(_words_in(run))


def _pairs(run: str) -> list[str]:
    """Return the pairs of neighbours in a script without spaces, none in other scripts."""
    return [run[at : at + 2] for at in range(len(run) - 1)] if _DENSE_RUN.match(run) else []
