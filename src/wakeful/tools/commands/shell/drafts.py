"""Groups the tokens of a text into drafts of simple commands, one up to each operator."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from wakeful.tools.commands.shell.loose_words import UNKNOWN
from wakeful.tools.commands.shell.tokens import Budget, Token, TokenKind

# Reserved only at the start of a command.
RESERVED = frozenset({"{", "}", "!", "if", "then", "else", "elif", "fi", "while", "until", "do", "done", "esac"})
# Between these a command may be skipped or repeated.
_MARKS = frozenset({"then", "else", "elif", "fi", "do", "done", "esac"})
_OUTPUTS = frozenset({">", ">>", ">|", ">&", "&>", "&>>", "<>"})
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_MOST_BRACES = 100


@dataclass(slots=True)
class CommandDraft:
    shell: tuple[int, ...]
    is_piped: bool = False
    words: list[str] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    appended: list[str] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    substitutions: list[str] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    separator: str = ";"
    start: int | None = None
    end: int = 0
    reach: int = 0

    @property
    def is_empty(self) -> bool:
        return not (self.words or self.targets or self.inputs or self.sources or self.substitutions or self.marks)

    def cover(self, token: Token) -> None:
        self.start = token.start if self.start is None else self.start
        self.end = max(self.end, token.end)
        self.reach = max(self.reach, token.reach)


def drafts_of(tokens: list[Token], budget: Budget, shell: tuple[int, ...]) -> Iterator[CommandDraft]:
    outermost = shell
    draft = CommandDraft(shell)
    rest = iter(tokens)
    for token in rest:
        draft.substitutions += token.substitutions
        if token.kind is TokenKind.OPERATOR:
            draft.separator = token.text
            if not draft.is_empty:
                yield draft
            if token.text == "(":
                shell = budget.enter_shell(shell)
            elif token.text == ")" and shell != outermost:
                shell = shell[:-1]
            draft = CommandDraft(shell, token.text in ("|", "|&") or (draft.is_piped and token.text == "("))
            continue
        is_reserved = not (draft.words or token.is_quoted) and token.text in RESERVED
        if not is_reserved or token.kind is not TokenKind.WORD:
            draft.cover(token)
        if token.kind is TokenKind.REDIRECTION:
            _redirect(draft, token.text, next(rest, None))
        elif token.kind is TokenKind.INPUT:
            draft.inputs.append(token.text)
        elif not is_reserved:
            draft.words += _expanded(token.text) if token.has_bare_brace else [token.text]
        elif token.text in _MARKS:
            draft.marks.append(token.text)
    yield draft


def _redirect(draft: CommandDraft, operator: str, target: Token | None) -> None:
    if target is None or target.kind is not TokenKind.WORD:
        return
    draft.cover(target)
    draft.substitutions += target.substitutions
    if operator == "<<<":
        draft.inputs.append(target.text)
    elif operator == "<":
        draft.sources.append(target.text)
    elif operator in _OUTPUTS and not re.fullmatch(r"\d+|-", target.text):
        draft.targets.append(target.text)
        if operator in (">>", "&>>", "<>"):
            draft.appended.append(target.text)


def _expanded(word: str) -> list[str]:
    """Expand braces: a{b,c} means ab ac."""
    done: list[str] = []
    waiting = [word]
    while waiting:
        if len(done) + len(waiting) > _MOST_BRACES:
            return [*done, UNKNOWN]
        word = waiting.pop(0)
        if braces := _BRACES.search(word):
            before, after = word[: braces.start()], word[braces.end() :]
            waiting = [f"{before}{choice}{after}" for choice in braces[1].split(",")] + waiting
        else:
            done.append(word)
    return done
