"""Takes a shell command apart, far enough to see which programs it runs on what. It is no shell: what it cannot see,
such as the value of a variable, stays in the words.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from wakeful.tools.loose_words import UNKNOWN, deletes_in_text, deletes_in_words, pieces_of
from wakeful.tools.shell_carriers import carried, name_of
from wakeful.tools.shell_tokens import Budget, Cutting, Kind, Token

# They mean this at the start of a command only.
_RESERVED = frozenset({"{", "}", "!", "if", "then", "else", "elif", "fi", "while", "until", "do", "done", "esac"})
_OUTPUTS = frozenset({">", ">>", ">|", ">&", "&>", "&>>"})
_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "su", "ssh", "trap", "watch", "script"})
# Programs that take texts as texts, and run none of them.
_TALKERS = frozenset(
    {"echo", "printf", "grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "git", "gh", "glab", "sed", "jq", "yq"}
    | {"curl", "wget", "man", "which", "type", "whereis", "test", "[", "[[", "logger", "cat", "ls", "head", "tail"}
    | {"touch", "mkdir", "export", "declare", "local", "readonly", "rm", "find", "cp", "mv", "apt", "apt-get", "cd"}
    | {"tee", "patch", "sort", "wc", "cut", "tr", "diff", "less"}
)
_RUNNING_GIT = frozenset({"foreach", "filter-branch", "bisect", "rebase"})
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_MOST_BRACES = 100


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """A program with its arguments, the files that its output goes to, and the texts that it reads as far as they
    stand in the command.
    """

    program: str
    arguments: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    # The shell that runs it, after those around that one: where one goes, those around it do not.
    shell: tuple[int, ...] = ()
    # Its last operands come from the output of another program.
    is_listed: bool = False
    # It stands for all that was not looked at.
    is_cut: bool = False

    def has_flag(self, letters: str, *names: str) -> bool:
        """Whether it has one of these letters in its short options, or one of these long options, also shortened."""
        return any(
            (len(option) > 2 and any(name.startswith(option.partition("=")[0]) for name in names))
            if option.startswith("--")
            else (re.match(r"-[A-Za-z]", option) and set(option) & set(letters))
            for option in self.options
        )

    @property
    def options(self) -> list[str]:
        return [argument for argument in self._before_dashes() if argument.startswith("-")]

    @property
    def operands(self) -> list[str]:
        before = self._before_dashes()
        after = self.arguments[len(before) + 1 :]
        return [argument for argument in before if not argument.startswith("-")] + list(after)

    def _before_dashes(self) -> tuple[str, ...]:
        return self.arguments[: self.arguments.index("--")] if "--" in self.arguments else self.arguments


@dataclass(slots=True)
class _Draft:
    shell: tuple[int, ...]
    is_piped: bool = False
    words: list[str] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    substitutions: list[str] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        return not (self.words or self.targets or self.inputs or self.substitutions)


def simple_commands(text: str) -> Iterator[SimpleCommand]:
    """In the order of the text, also those in substitutions and in texts that another program runs."""
    budget = Budget()
    yield from _commands(text, budget, ())
    if budget.is_spent:
        yield SimpleCommand("", is_cut=True)


def starts_of_find(arguments: tuple[str, ...]) -> list[str]:
    starts: list[str] = []
    for argument in arguments:
        if re.fullmatch(r"-[HLP]+|-O\d?", argument):
            continue
        if argument.startswith(("-", "!", "(")):
            break
        starts.append(argument)
    return starts or ["."]


def inside_of(folder: str) -> str:
    """Stands for what is in a folder, where the folder itself is not meant."""
    return f"{folder}/x"


def _commands(text: str, budget: Budget, shell: tuple[int, ...]) -> Iterator[SimpleCommand]:
    cutting = Cutting(text, budget)
    cutting.run()
    previous = SimpleCommand("")
    for draft in _drafts(cutting.tokens, budget, shell):
        if draft.is_piped:
            draft.inputs += _output_of(previous)
        command = _command(draft, previous if draft.is_piped else None)
        if command.program or command.targets:
            if not budget.take_command():
                return
            yield command
            previous = command
        for inner in [*draft.substitutions, *_inner_texts(command)]:
            if budget.is_spent:
                break
            yield from _commands(inner, budget, budget.enter_shell(draft.shell))
        for words in _deletes(command):
            if not budget.take_command():
                return
            yield _of_words(words, draft.shell)
    if cutting.is_unclosed:
        yield from _loose_commands(text, budget, shell)


def _drafts(tokens: list[Token], budget: Budget, shell: tuple[int, ...]) -> Iterator[_Draft]:
    outermost = shell
    draft = _Draft(shell)
    rest = iter(tokens)
    for token in rest:
        draft.substitutions += token.substitutions
        if token.kind is Kind.OPERATOR:
            if not draft.is_empty:
                yield draft
            if token.text == "(":
                shell = budget.enter_shell(shell)
            elif token.text == ")" and shell != outermost:
                shell = shell[:-1]
            draft = _Draft(shell, token.text in ("|", "|&") or (draft.is_piped and token.text == "("))
        elif token.kind is Kind.REDIRECTION:
            _redirect(draft, token.text, next(rest, None))
        elif token.kind is Kind.INPUT:
            draft.inputs.append(token.text)
        elif draft.words or token.is_quoted or token.text not in _RESERVED:
            draft.words += _expanded(token.text) if token.has_bare_brace else [token.text]
    yield draft


def _redirect(draft: _Draft, operator: str, target: Token | None) -> None:
    if target is None or target.kind is not Kind.WORD:
        return
    draft.substitutions += target.substitutions
    if operator == "<<<":
        draft.inputs.append(target.text)
    elif operator in _OUTPUTS and not re.fullmatch(r"\d+|-", target.text):
        draft.targets.append(target.text)


def _expanded(word: str) -> list[str]:
    """a{b,c} means ab ac."""
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


def _output_of(command: SimpleCommand) -> list[str]:
    """The texts that come out of it, as far as they stand in the command."""
    if command.program in ("echo", "printf"):
        return [" ".join(command.operands)]
    return list(command.inputs)


def _command(draft: _Draft, source: SimpleCommand | None) -> SimpleCommand:
    words = carried(draft.words)
    is_listed = any(name_of(word) in ("xargs", "parallel") for word in draft.words[: len(draft.words) - len(words)])
    listed = _listed_by(source) if is_listed else []
    # A name with blanks is a text that something else runs, as in os.system("…").
    program = "" if not words else words[0] if re.search(r"\s", words[0]) else name_of(words[0])
    return SimpleCommand(
        program, (*words[1:], *listed), tuple(draft.targets), tuple(draft.inputs), draft.shell, is_listed
    )


def _listed_by(source: SimpleCommand | None) -> list[str]:
    if source and source.program == "find":
        return [inside_of(start) for start in starts_of_find(source.arguments)]
    if source and source.program == "ls":
        return source.operands or [inside_of(".")]
    return [UNKNOWN]


def _inner_texts(command: SimpleCommand) -> Iterator[str]:
    """What this command runs as shell commands."""
    if re.search(r"\s", command.program):
        yield command.program
    elif command.program == "eval":
        yield " ".join(command.arguments)
    elif command.program in _SHELLS:
        yield from command.operands
        yield from command.inputs


def _deletes(command: SimpleCommand) -> Iterator[list[str]]:
    """What this command deletes in a way that only it understands."""
    if command.program == "find":
        yield from _executed(command.arguments)
    elif command.program and not _only_talks(command):
        yield from _deletes_in(command.arguments, command.inputs)


def _only_talks(command: SimpleCommand) -> bool:
    return command.program in _TALKERS and not _RUNNING_GIT.intersection(command.arguments)


def _executed(arguments: tuple[str, ...]) -> Iterator[list[str]]:
    for position, argument in enumerate(arguments):
        if argument in ("-exec", "-execdir", "-ok", "-okdir"):
            found = inside_of(starts_of_find(arguments)[0])
            rest = arguments[position + 1 : position + 100]
            words = [found if word == "{}" else word for word in rest if word not in (";", "+")]
            yield from _deletes_in(words)


def _deletes_in(words: Sequence[str], inputs: Sequence[str] = ()) -> Iterator[list[str]]:
    yield from deletes_in_words(list(words))
    for text in (*words, *inputs):
        if re.search(r"[\s(]", text):
            yield from deletes_in_text(text)


def _of_words(words: list[str], shell: tuple[int, ...]) -> SimpleCommand:
    return SimpleCommand(name_of(words[0]), tuple(words[1:]), shell=shell)


def _loose_commands(text: str, budget: Budget, shell: tuple[int, ...]) -> Iterator[SimpleCommand]:
    for words in pieces_of(text):
        if not budget.take_command():
            return
        if program := carried([word for word in words if word not in _RESERVED]):
            yield _of_words(program, shell)
        for delete in deletes_in_words(words):
            yield _of_words(delete, shell)
