"""Regular expressions that ripgrep and RE2 read alike. Both know more, but not the same: the rest is refused.

Classes such as `\\w` are those of ASCII, `$` also stands before the CR of a CRLF, and `^` also after a byte order mark.
"""

import re
import string
from dataclasses import dataclass

from wakeful.tools.base import Unusable

_CLASSES = {"d": "0-9", "w": "0-9A-Za-z_", "s": r"\t\x0B\x0C\r "}
_CONTROLS = {"t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}
_PLAIN = frozenset(string.ascii_letters + string.digits)
_COUNT = re.compile(r"\{(\d{1,6})(,(\d{0,6}))?\}")
_FLAGS = re.compile(r"\(\?(?:[ism]+(?:-i)?|-i)?[:)]")
_NAMED = re.compile(r"\(\?P?<[A-Za-z_]\w*>")
_LOOK = re.compile(r"\(\?<?[=!]")
_CODE = re.compile(r"x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|[xu]\{([0-9A-Fa-f]{1,6})\}")
_PROPERTY = re.compile(r"[pP](?:[A-Z]|\{\^?\w+\})")
_POSIX = re.compile(r"\[:\^?[a-z]+:\]")
_MOST_REPEATED = 1_000
_LONGEST = 2_000


@dataclass(frozen=True, slots=True)
class Pattern:
    """One expression in the words of both engines."""

    re2: str
    ripgrep: str


def pattern_of(text: str, *, ignore_case: bool) -> Pattern:
    """Translate an expression. Raises Unusable for what one of the engines lacks."""
    if len(text) > _LONGEST:
        raise Unusable(f"pattern is longer than {_LONGEST:,} characters")
    flags = "(?im)" if ignore_case else "(?m)"
    return Pattern(flags + _Translator(text, r"\b", r"\B").whole(), flags + _Translator(text, *_RUST_WORDS).whole())


_RUST_WORDS = (r"(?-u:\b)", r"(?-u:\B)")


class _Translator:
    def __init__(self, text: str, boundary: str, inside: str) -> None:
        self._text = text
        self._words = {"b": boundary, "B": inside}
        self._at = 0

    def whole(self) -> str:
        parts = []
        while self._at < len(self._text):
            parts.append(self._next())
        return "".join(parts)

    def _next(self) -> str:
        char = self._text[self._at]
        if char == "\\":
            return self._escape()
        if char == "[":
            return self._set()
        if char == "(":
            return self._group()
        if char == "{":
            return self._count()
        self._at += 1
        if char == "^":
            return r"(?:^\x{FEFF}?)"
        if char == "$":
            return r"(?:\r?$)"
        return char if char in ".*+?|)" else _literal(char)

    def _group(self) -> str:
        if _LOOK.match(self._text, self._at):
            raise Unusable("pattern uses look-around, which search_files does not have")
        if found := _NAMED.match(self._text, self._at):
            self._at = found.end()
            return "("
        if found := _FLAGS.match(self._text, self._at):
            self._at = found.end()
            return found.group()
        if self._text.startswith("(?", self._at):
            raise Unusable(f"pattern begins a group with {self._text[self._at : self._at + 3]}, which is not known")
        self._at += 1
        return "("

    def _count(self) -> str:
        found = _COUNT.match(self._text, self._at)
        if found is None or self._at == 0:
            # A brace that counts nothing, as in code.
            self._at += 1
            return _literal("{")
        if max(int(number or 0) for number in found.group(1, 3)) > _MOST_REPEATED:
            raise Unusable(f"pattern repeats something more than {_MOST_REPEATED:,} times")
        self._at = found.end()
        return found.group()

    def _escape(self) -> str:
        name = self._escaped()
        if name not in self._words and name.lower() not in _CLASSES:
            return self._escaped_item(name)
        self._at += 1
        return self._words.get(name) or f"[{'^' if name.isupper() else ''}{_CLASSES[name.lower()]}]"

    def _escaped(self) -> str:
        """Step over a backslash, and return what follows it."""
        self._at += 1
        if self._at == len(self._text):
            raise Unusable("pattern ends with a backslash")
        return self._text[self._at]

    def _escaped_item(self, name: str) -> str:
        """Return an escape that means the same in a set and outside of it."""
        for expression in (_PROPERTY, _CODE):
            if found := expression.match(self._text, self._at):
                self._at = found.end()
                return f"\\{found.group()}" if expression is _PROPERTY else _literal(_character(found))
        self._at += 1
        if name in _CONTROLS:
            return _literal(_CONTROLS[name])
        if name.isdecimal():
            raise Unusable("pattern uses a back-reference, which search_files does not have")
        if name == "n":
            raise Unusable(r"pattern contains \n, but a match lies within one line")
        if name in _PLAIN:
            raise Unusable(f"pattern contains \\{name}, which is not known")
        return _literal(name)

    def _set(self) -> str:
        self._at += 1
        is_negated = self._text.startswith("^", self._at)
        self._at += is_negated
        items: list[str] = []
        while not self._text.startswith("]", self._at) or not items:
            if self._at >= len(self._text):
                raise Unusable("pattern has a [ without its ]")
            items.append(self._set_item())
        self._at += 1
        return f"[{'^' if is_negated else ''}{''.join(items)}]"

    def _set_item(self) -> str:
        if found := _POSIX.match(self._text, self._at):
            self._at = found.end()
            return found.group()
        first = self._set_character()
        following = self._text[self._at : self._at + 2]
        is_range = len(following) == 2 and following[0] == "-" and following[1] != "]"
        if not is_range or _is_class(first):
            return first
        self._at += 1
        last = self._set_character()
        if _is_class(last):
            raise Unusable("pattern has a range in [ ] that ends with a class")
        return f"{first}-{last}"

    def _set_character(self) -> str:
        char = self._text[self._at]
        if char != "\\":
            self._at += 1
            return _literal(char)
        name = self._escaped()
        if name == "b":
            raise Unusable(r"pattern contains \b in [ ], which is not known")
        if name.lower() in _CLASSES:
            self._at += 1
            return _CLASSES[name] if name.islower() else _NEGATED[name.lower()]
        return self._escaped_item(name)


# All of Unicode but the class.
_NEGATED = {
    "d": r"\x00-/:-\x{10FFFF}",
    "w": r"\x00-/:-@\[-^`{-\x{10FFFF}",
    "s": r"\x00-\x08\x0E-\x1F!-\x{10FFFF}",
}


def _is_class(item: str) -> bool:
    return item in _CLASSES.values() or item in _NEGATED.values() or item.startswith(("\\p", "\\P"))


def _character(found: re.Match[str]) -> str:
    code = int(next(group for group in found.groups() if group), 16)
    if code > 0x10FFFF:
        raise Unusable(f"pattern contains \\{found.group()}, which is no character")
    return chr(code)


def _literal(char: str) -> str:
    if char == "\n":
        raise Unusable("pattern contains a line break, but a match lies within one line")
    if "\ud800" <= char <= "\udfff":
        raise Unusable("pattern is not valid Unicode")
    return char if char in _PLAIN or char == " " or ord(char) > 0x7F else f"\\x{{{ord(char):X}}}"
