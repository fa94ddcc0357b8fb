"""The rules of .gitignore, .ignore and .rgignore files, read as ripgrep reads them."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import re2

from wakeful.tools.search.expressions import compiled_for_bytes
from wakeful.tools.search.globs import bytes_of, glob_expression

# A rule of a kind further to the front wins over all rules of the others, however near those are.
_NAMES = (".rgignore", ".ignore", ".gitignore")
# An ignore file that is longer is not written by a person.
_LARGEST = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Rule:
    text: str
    expression: Any
    ignores: bool
    only_folders: bool


class RuleFile:
    """The rules of one file, for paths relative to its folder."""

    def __init__(self, text: str) -> None:
        self._rules = [rule for line in text.splitlines() if (rule := _rule_of(line)) is not None]

    @cached_property
    def _any(self) -> Any:
        return compiled_for_bytes("|".join(f"(?:{rule.text})" for rule in self._rules))

    def verdict(self, path: bytes, *, is_folder: bool) -> bool | None:
        """Return whether the path is ignored, by the last rule that matches it; None if no rule does."""
        if not self._rules or not self._any.fullmatch(path):
            return None
        for rule in reversed(self._rules):
            if (is_folder or not rule.only_folders) and rule.expression.fullmatch(path):
                return rule.ignores
        return None


@dataclass(frozen=True, slots=True)
class Ignored:
    """The rules that hold in a folder: its own and those of the folders above."""

    folder: str
    above: "Ignored | None" = None
    files: dict[str, RuleFile] = field(default_factory=dict)

    @classmethod
    def of(cls, folder: str, above: "Ignored | None" = None) -> "Ignored":
        files = {name: rules for name in _NAMES if (rules := _read(os.path.join(folder, name))) is not None}
        return above if above is not None and not files else cls(folder, above, files)

    @classmethod
    def from_above(cls, folder: str) -> "Ignored":
        """Return the rules for a folder at which a search begins: those of all folders above it hold, too."""
        parent = os.path.dirname(folder)
        return cls.of(folder, None if parent == folder else cls.from_above(parent))

    def hides(self, path: str, *, is_folder: bool) -> bool:
        for name in _NAMES:
            for level in self._levels():
                rules = level.files.get(name)
                if rules is None:
                    continue
                below = os.fsencode(path[len(level.folder.rstrip("/")) + 1 :])
                verdict = rules.verdict(below, is_folder=is_folder)
                if verdict is not None:
                    return verdict
        return False

    def _levels(self) -> Iterator["Ignored"]:
        level: Ignored | None = self
        while level is not None:
            yield level
            level = level.above


def _read(path: str) -> RuleFile | None:
    try:
        if not os.path.isfile(path) or os.path.getsize(path) > _LARGEST:
            return None
        with open(path, "rb") as file:
            return RuleFile(file.read().decode(errors="surrogateescape").removeprefix("\ufeff"))
    except OSError:
        return None


def _rule_of(line: str) -> Rule | None:
    """Return None for a line without a rule, or with one that cannot be read."""
    if line.startswith("#"):
        return None
    glob = line if line.endswith("\\ ") else line.rstrip()
    ignores = not glob.startswith("!")
    glob = glob.removeprefix("!")
    is_anchored = glob.startswith("/")
    glob = glob.removeprefix("/")
    only_folders = glob.endswith("/")
    glob = glob.removesuffix("/")
    if not glob:
        return None
    if not is_anchored and "/" not in glob and not glob.startswith("**/"):
        glob = f"**/{glob}"
    if glob.endswith("/**"):
        glob += "/*"
    try:
        text = glob_expression(glob, bytes_of)
        return Rule(text, compiled_for_bytes(text), ignores, only_folders)
    except (ValueError, re2.error):
        return None
