"""Tracks the variables of a script, as far as its text shows them. A variable keeps every value that it was ever given,
so a use of it never misses one.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from wakeful.tools.commands.shell.loose_words import UNKNOWN

_USE = re.compile(r"\$(?:(?P<bare>[A-Za-z_]\w*)|\{(?P<braced>[A-Za-z_]\w*)(?P<other>[^{}]*)\})|\$\((?P<run>[^()]*)\)")
_ASSIGNMENT = re.compile(r"(?P<name>[A-Za-z_]\w*)(?P<more>\+?)=(?P<value>.*)", re.DOTALL)
_MOST_VALUES = 20
_MOST_VARIABLES = 1_000


@dataclass(slots=True)
class Variables:
    # Values of variables that need no assignment.
    known: Mapping[str, tuple[str, ...]]
    # The output of programs that a word may run, where it is known.
    outputs: Mapping[str, str]
    _values: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def assign(self, assignment: str, directories: Iterable[str | None]) -> None:
        parts = _ASSIGNMENT.match(assignment)
        if parts is None:
            return
        values = self.expand(parts["value"], directories)
        if parts["more"]:
            values = [before + value for before in self._values.get(parts["name"], ("",)) for value in values]
        self.add(parts["name"], values)

    def add(self, name: str, values: Iterable[str]) -> None:
        if len(self._values) < _MOST_VARIABLES or name in self._values:
            together = tuple(dict.fromkeys((*self._values.get(name, self.known.get(name, ())), *values)))
            self._values[name] = together if len(together) <= _MOST_VALUES else (UNKNOWN,)

    def expand(self, word: str, directories: Iterable[str | None]) -> list[str]:
        """Return every text that the word may expand to. An unknown variable stays as it is."""
        if "$" not in word:
            return [word]
        folders = tuple(directories)
        expanded = [""]
        end = 0
        for use in _USE.finditer(word):
            before, end = word[end : use.start()], use.end()
            expanded = [text + before + value for text in expanded for value in self._values_of(use, folders)]
            if len(expanded) > _MOST_VALUES:
                return [UNKNOWN]
        return [text + word[end:] for text in expanded]

    def _values_of(self, use: re.Match[str], directories: tuple[str | None, ...]) -> Iterator[str]:
        if use["run"] is not None:
            yield from self._output_of(use, directories)
            return
        name = use["bare"] or use["braced"]
        values = self._values.get(name, self.known.get(name))
        if name == "PWD" and name not in self._values:
            values = tuple(use.group() if folder is None else folder for folder in directories)
        # Of the operators after a name only a default is understood; others change the value in unknown ways.
        if values is None or (use["other"] and not re.match(r":?-", use["other"])):
            yield use.group()
        else:
            yield from values

    def _output_of(self, use: re.Match[str], directories: tuple[str | None, ...]) -> Iterator[str]:
        words = use["run"].split()
        if words[:1] == ["pwd"]:
            yield from (use.group() if folder is None else folder for folder in directories)
        else:
            yield self.outputs.get(words[0] if words else "", use.group())
