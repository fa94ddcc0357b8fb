"""Translates globs into regular expressions of RE2."""

from collections.abc import Callable

Literal = Callable[[str], str]


def glob_expression(glob: str, literal: Literal) -> str:
    """Return the expression that matches the same whole paths. `*` and `?` stop at a slash, `**` stands for any number
    of folders, `{a,b}` for either, and a backslash takes the meaning of the next character. Raises ValueError.
    """
    return _Glob(glob, literal).whole()


def bytes_of(char: str) -> str:
    """Write a character for an expression that reads bytes."""
    return "".join(f"\\x{{{byte:02X}}}" for byte in char.encode(errors="surrogateescape"))


def character_of(char: str) -> str:
    """Write a character for an expression that reads UTF-8."""
    return f"\\x{{{ord(char):X}}}"


class _Glob:
    def __init__(self, glob: str, literal: Literal) -> None:
        self._glob = glob
        self._literal = literal
        self._at = 0
        self._depth = 0

    def whole(self) -> str:
        parts = []
        while self._at < len(self._glob):
            parts.append(self._next())
        if self._depth:
            raise ValueError("a { without its }")
        return "".join(parts)

    def _next(self) -> str:
        char = self._glob[self._at]
        if char == "*":
            return self._stars()
        if char == "[":
            return self._set()
        if char == "/" and self._glob[self._at :] == "/**":
            self._at += 3
            return "/.*"
        if char == "/" and self._glob.startswith("/**/", self._at):
            self._at += 4
            return "/(?:.*/)?"
        self._at += 1
        if char == "?":
            return "[^/]"
        if char in "{},":
            return self._choice(char)
        if char == "\\":
            return self._escape()
        return self._literal(char)

    def _stars(self) -> str:
        rest = self._glob[self._at :]
        if self._at == 0 and rest == "**":
            self._at += 2
            return ".*"
        if self._at == 0 and rest.startswith("**/"):
            self._at += 3
            return "(?:.*/)?"
        self._at += len(rest) - len(rest.lstrip("*"))
        return "[^/]*"

    def _choice(self, char: str) -> str:
        if char == "{":
            self._depth += 1
            return "(?:"
        if not self._depth:
            if char == "}":
                raise ValueError("a } without its {")
            return self._literal(char)
        if char == ",":
            return "|"
        self._depth -= 1
        return ")"

    def _escape(self) -> str:
        if self._at == len(self._glob):
            raise ValueError("a backslash at its end")
        self._at += 1
        return self._literal(self._glob[self._at - 1])

    def _set(self) -> str:
        self._at += 1
        is_negated = self._glob[self._at : self._at + 1] in ("!", "^")
        self._at += is_negated
        end = self._glob.find("]", self._at + 1)
        if end < 0:
            raise ValueError("a [ without its ]")
        content, self._at = self._glob[self._at : end], end + 1
        return f"[{'^' if is_negated else ''}{self._ranges(content)}]"

    def _ranges(self, content: str) -> str:
        parts, at = [], 0
        while at < len(content):
            first, at = content[at], at + 1
            if content[at : at + 1] == "-" and at + 1 < len(content):
                parts.append(f"{self._literal(first)}-{self._literal(content[at + 1])}")
                at += 2
            else:
                parts.append(self._literal(first))
        return "".join(parts)
