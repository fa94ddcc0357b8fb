"""Takes a shell command apart, far enough to see which programs it runs on what. It is no shell: what it cannot see,
such as the value of a variable, stays in the words.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePath

_SEPARATORS = frozenset({";", "&", "&&", "||", "|", "|&", "(", ")", "{", "}", ";;", "!", "then", "do", "else", "if"})
_REDIRECTIONS = frozenset({">", ">>", ">|", "&>", "&>>"})
# Programs that run what follows them.
_CARRIERS = frozenset(
    {"sudo", "doas", "env", "nohup", "nice", "ionice", "time", "timeout", "exec", "command", "builtin", "xargs"}
    | {"stdbuf", "setsid", "busybox"}
)
_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash", "eval", "su"})
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_DEEPEST = 5


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """A program with its arguments, and the files that its output goes to."""

    program: str
    arguments: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()

    def has_flag(self, letters: str, *names: str) -> bool:
        """Whether it has one of these letters in its short options, or one of these long options."""
        return any(
            argument in names or (re.match(r"-[A-Za-z]", argument) and set(argument) & set(letters))
            for argument in self.arguments
        )

    @property
    def operands(self) -> list[str]:
        return [argument for argument in self.arguments if not argument.startswith("-")]


@dataclass(slots=True)
class _Draft:
    words: list[str] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)


def simple_commands(text: str, depth: int = 0) -> Iterator[SimpleCommand]:
    """In the order of the text, also those in substitutions and in texts that another shell gets."""
    for draft in _drafts(_words(text)):
        words = _without_carriers(draft.words)
        if words or draft.targets:
            program = PurePath(words[0]).name if words else ""
            yield SimpleCommand(program, tuple(words[1:]), tuple(draft.targets))
        if depth < _DEEPEST:
            for inner in _inner_texts(words):
                yield from simple_commands(inner, depth + 1)


def _words(text: str) -> list[str]:
    # A new line ends a command as a semicolon does; within quotes it makes no difference here.
    lexer = shlex.shlex(text.replace("\\\n", " ").replace("\n", " ; "), posix=True, punctuation_chars=";&|()<>")
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return list(lexer)
    except ValueError:
        # A quote that nobody closes.
        return text.split()


def _drafts(words: list[str]) -> Iterator[_Draft]:
    draft = _Draft()
    rest = iter(words)
    for word in rest:
        if word in _SEPARATORS:
            yield draft
            draft = _Draft()
        elif word in _REDIRECTIONS:
            draft.targets += [target for target in (next(rest, ""),) if not target.startswith("&")]
        else:
            draft.words.append(word)
    yield draft


def _without_carriers(words: list[str]) -> list[str]:
    """The words from the program on that really runs."""
    is_carried = False
    for position, word in enumerate(words):
        name = PurePath(word).name
        if name in _CARRIERS:
            is_carried = True
        elif not _ASSIGNMENT.match(word) and not (is_carried and (word.startswith("-") or word[:1].isdecimal())):
            return words[position:]
    return []


def _inner_texts(words: list[str]) -> Iterator[str]:
    for word in words:
        for opening, closing in (("$(", ")"), ("`", "`")):
            start, end = word.find(opening), word.rfind(closing)
            if 0 <= start < end:
                yield word[start + len(opening) : end]
    if words and PurePath(words[0]).name in _SHELLS:
        yield from (word for word in words[1:] if not word.startswith("-"))
