"""Cuts a shell text into words, operators and redirections. Invalid shell is cut as well as possible: an unclosed quote
is ignored, and a here-document without an end is read like other lines.
"""

import re
import sys
from dataclasses import dataclass, field
from enum import Enum, auto


class TokenKind(Enum):
    WORD = auto()
    OPERATOR = auto()
    REDIRECTION = auto()
    # The text of a here-document.
    INPUT = auto()


@dataclass(slots=True)
class Token:
    kind: TokenKind
    text: str = ""
    # Commands that the shell runs to expand this word.
    substitutions: list[str] = field(default_factory=list)
    is_quoted: bool = False
    has_bare_brace: bool = False
    # Its position in the text, and the end of what belongs to it, such as the lines of a here-document.
    start: int = 0
    end: int = 0
    reach: int = 0


@dataclass(slots=True)
class Budget:
    """Limits the work on a text and everything nested in it: a command can have 100,000 characters."""

    steps: int = 20_000
    commands: int = 1_000
    shells: int = 0
    is_spent: bool = False

    def take_step(self) -> bool:
        self.steps -= 1
        self.is_spent |= self.steps < 0
        return not self.is_spent

    def take_command(self) -> bool:
        self.commands -= 1
        self.is_spent |= self.commands < 0
        # Tokens that were cut before the steps ran out are still read.
        return self.commands >= 0

    def enter_shell(self, around: tuple[int, ...]) -> tuple[int, ...]:
        """Return the numbers of a new shell: those of the shells around it, then its own."""
        if len(around) >= _DEEPEST:
            self.is_spent = True
            return around
        self.shells += 1
        return (*around, self.shells)


@dataclass(slots=True)
class Cutting:
    """Cuts one text into tokens, and stops early when the budget is spent."""

    text: str
    budget: Budget
    tokens: list[Token] = field(default_factory=list)
    is_unclosed: bool = False
    _here: int = 0
    _word: Token | None = None
    _pieces: list[str] = field(default_factory=list)
    _documents: list[Token] = field(default_factory=list)
    _expects_delimiter: bool = False

    def run(self) -> None:
        position = 0
        while position < len(self.text) and self.budget.take_step():
            piece = _PIECE.match(self.text, position)
            assert piece is not None
            assert piece.lastgroup is not None
            self._here = position
            position = self._take(piece.lastgroup, piece.group(), piece.end())
            if self._word is not None:
                self._word.end = self._word.reach = position
        self._end_word()

    def _take(self, name: str, found: str, end: int) -> int:
        """Take one piece, and return the position after it."""
        if name == "join":
            return end
        if name in ("blank", "comment"):
            self._end_word()
        elif name == "newline":
            self._add(TokenKind.OPERATOR, ";")
            return self._skip_documents(end)
        elif name == "operator":
            self._add(TokenKind.OPERATOR, found)
        elif name == "redirection":
            self._add(TokenKind.REDIRECTION, found.lstrip("0123456789"))
        elif name == "heredoc":
            self._end_word()
            self._expects_delimiter = True
        elif name == "single":
            quoted = found[found.index("'") + 1 : -1]
            self._put(_unescaped(quoted) if found.startswith("$") else quoted, is_quoted=True)
        elif name == "double":
            return self._take_double(end)
        elif name in ("run", "backtick"):
            return self._take_substitution(name, end)
        else:
            self._put_bare(name, found)
        return end

    def _put_bare(self, name: str, found: str) -> None:
        if name == "escape":
            self._put(found[1:], is_quoted=True)
        elif found in ("'", '"'):
            self.is_unclosed = True
        else:
            word = self._put(found)
            word.has_bare_brace |= "{" in found

    def _put(self, text: str, is_quoted: bool = False) -> Token:
        if self._word is None:
            self._word = Token(TokenKind.WORD, start=self._here)
            self._pieces = []
        self._pieces.append(text)
        self._word.is_quoted |= is_quoted
        return self._word

    def _add(self, kind: TokenKind, text: str) -> None:
        self._end_word()
        end = self._here + len(text)
        self.tokens.append(Token(kind, text, start=self._here, end=end, reach=end))

    def _end_word(self) -> None:
        if self._word is None:
            return
        self._word.text = "".join(self._pieces)
        if self._expects_delimiter:
            self._word.kind = TokenKind.INPUT
            self._documents.append(self._word)
            self._expects_delimiter = False
        self.tokens.append(self._word)
        self._word = None

    def _take_double(self, start: int) -> int:
        closed, pieces, substitutions = self._read_double(start)
        if closed is None:
            self.is_unclosed = True
            return start
        self._put("".join(pieces), is_quoted=True).substitutions += substitutions
        return closed

    def _read_double(self, position: int) -> tuple[int | None, list[str], list[str]]:
        """Return the position after the closing quote, or None without one, and what the quotes contain."""
        pieces: list[str] = []
        substitutions: list[str] = []
        while position < len(self.text) and self.budget.take_step():
            piece = _IN_DOUBLE.match(self.text, position)
            assert piece is not None
            found, position = piece.group(), piece.end()
            if found == '"':
                return position, pieces, substitutions
            if found in ("$(", "`"):
                inner, position = self._read_substitution(found, position)
                substitutions.append(inner)
                pieces.append(f"$({inner})")
            else:
                pieces.append(found[1:] if found[0] == "\\" and found[1:] in ('"', "\\", "`", "$", "\n") else found)
        return None, pieces, substitutions

    def _take_substitution(self, name: str, start: int) -> int:
        inner, end = self._read_substitution("`" if name == "backtick" else "$(", start)
        # The dollar sign marks the value as unknown.
        self._put(f"$({inner})", is_quoted=True).substitutions.append(inner)
        return end

    def _read_substitution(self, opening: str, start: int) -> tuple[str, int]:
        if opening == "`":
            closing = _BACKTICK_END.match(self.text, start)
            end = closing.end() if closing else None
        else:
            end = self._end_of_parentheses(start)
        if end is None:
            self.is_unclosed = True
            return self.text[start:], len(self.text)
        inner = self.text[start : end - 1]
        return inner.replace("\\`", "`") if opening == "`" else inner, end

    def _end_of_parentheses(self, position: int) -> int | None:
        open_ones = ["("]
        for mark in _MARK.finditer(self.text, position):
            if not self.budget.take_step():
                return None
            found = mark.group()
            if found == '"' and open_ones[-1] == '"':
                open_ones.pop()
            elif found == '"' or found == "$(" or (found == "(" and open_ones[-1] == "("):
                open_ones.append(found[-1])
            elif found == ")" and open_ones[-1] == "(":
                open_ones.pop()
            if not open_ones:
                return mark.end()
        return None

    def _skip_documents(self, position: int) -> int:
        for document in self._documents:
            end = re.compile(rf"^\t*{re.escape(document.text)}$", re.MULTILINE).search(self.text, position)
            # Charge the budget: each search may go through the whole text.
            self.budget.steps -= len(self.text) // 100
            document.text = self.text[position : end.start()] if end else ""
            if end:
                position = min(end.end() + 1, len(self.text))
                document.reach = position
            if not document.is_quoted:
                document.substitutions = _substitutions(document.text, self.budget)
        self._documents = []
        return position


def _substitutions(text: str, budget: Budget) -> list[str]:
    if "`" not in text and "$(" not in text:
        return []
    # A here-document is expanded like a double-quoted string, except that quotes mean nothing in it.
    return Cutting(text.replace('"', " "), budget)._read_double(0)[2]


_DEEPEST = 12
_ESCAPE = re.compile(
    r"(?s)\\(?:[xuU](?P<hex>(?<=x)[\da-fA-F]{1,2}|(?<=u)[\da-fA-F]{1,4}|(?<=U)[\da-fA-F]{1,8})"
    r"|(?P<octal>[0-7]{1,3})|(?P<letter>.))"
)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r"}
_PIECE = re.compile(
    r"""
      (?P<newline>\n)
    | (?P<join>\\\n)
    | (?P<blank>[^\S\n]+)
    | (?P<comment>(?<![^\s;&|()])\#[^\n]*)
    | (?P<run>[$<>]\()
    | (?P<heredoc>\d?<<-?(?!<))
    | (?P<redirection>&>>?|\d{0,3}(?:>>|>\||>&|<&|<<<|<>|>|<))
    | (?P<operator>&&|\|\||;;&?|;&|\|&|[;&|()])
    | (?P<escape>\\.)
    | (?P<single>\$?'[^']*')
    | (?P<double>\$?"(?=[^"]*"))
    | (?P<backtick>`)
    | (?P<bare>[^\s;&|()<>\\'"`$\#]+)
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_IN_DOUBLE = re.compile(r'[^"\\`$]+|\\.|"|`|\$\(|.', re.DOTALL)
_BACKTICK_END = re.compile(r"(?:\\.|[^`\\])*`", re.DOTALL)
# Single quotes mean nothing inside double quotes; a parenthesis inside both is misread.
_MARK = re.compile(r"""\\.|'[^'"]*'|"|\$\(|\(|\)""", re.DOTALL)


def _unescaped(quoted: str) -> str:
    """Return what the shell makes of the escapes within $'…'."""
    return _ESCAPE.sub(_letter, quoted)


def _letter(escape: re.Match[str]) -> str:
    if escape["letter"]:
        return _LETTERS.get(escape["letter"], escape["letter"])
    code = int(escape["octal"], 8) if escape["octal"] else int(escape["hex"], 16)
    return chr(code) if code <= sys.maxunicode else ""
