"""Takes a shell text apart, far enough to see which programs it runs on which operands. What it cannot evaluate, such
as a variable, stays in the words.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, takewhile

from wakeful.tools.commands.shell.carriers import assignments_of, carried, name_of
from wakeful.tools.commands.shell.command import SimpleCommand, inside_of, starts_of_find
from wakeful.tools.commands.shell.drafts import RESERVED, CommandDraft, drafts_of
from wakeful.tools.commands.shell.loose_words import (
    UNKNOWN,
    Loose,
    calls_in_text,
    deletes_in_text,
    deletes_in_words,
    pieces_of,
)
from wakeful.tools.commands.shell.tokens import Budget, Cutting

_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "su", "ssh", "trap", "watch", "script"})
# Programs that run none of their arguments.
_TALKERS = frozenset(
    {"echo", "printf", "grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "git", "gh", "glab", "sed", "jq", "yq"}
    | {"curl", "wget", "man", "which", "type", "whereis", "test", "[", "[[", "logger", "cat", "ls", "head", "tail"}
    | {"touch", "mkdir", "export", "declare", "local", "readonly", "rm", "find", "cp", "mv", "apt", "apt-get", "cd"}
    | {"tee", "patch", "sort", "wc", "cut", "tr", "diff", "less", "unlink", "shred", "for", "alias", "typeset"}
)
_SCRIPT_RUNNERS = re.compile(r"source|\.|python[\d.]*|node|deno|bun|perl|ruby|php|lua")
_SHARES = re.compile(r"-[a-z]*v|--(volume|mount|privileged|device|pid|cap-add|use-api-socket)")
_RUNNING_GIT = frozenset({"foreach", "filter-branch", "bisect", "rebase"})
_LONGEST_EXCERPT = 500


def simple_commands(text: str, budget: Budget | None = None) -> Iterator[SimpleCommand]:
    """Yield the commands in the order of the text, also those in substitutions and in texts that a program runs."""
    budget = budget or Budget()
    yield from _Reader(text, budget).commands(text, (), None)
    if budget.is_spent:
        yield SimpleCommand("", is_cut=True, reach=len(text))


def commands_in_code(text: str, *, is_shell: bool) -> Iterator[SimpleCommand]:
    """Yield what code in another language deletes. Input of a shell may contain code for a program that it starts."""
    for loose in calls_in_text(text) if is_shell else deletes_in_text(text):
        yield _of_words(loose.words, (), _shortened(loose.excerpt), loose.end)


def only_talks(command: SimpleCommand) -> bool:
    """Return whether the command runs none of its arguments."""
    return command.program in _TALKERS and not _RUNNING_GIT.intersection(command.arguments)


@dataclass(frozen=True, slots=True)
class _Reader:
    whole: str
    budget: Budget
    # Texts that the script has written to files so far, by file name.
    written: dict[str, str] = field(default_factory=dict)

    def commands(self, text: str, shell: tuple[int, ...], around: SimpleCommand | None) -> Iterator[SimpleCommand]:
        """Yield the commands of a text. `around` is the command whose words contain it."""
        cutting = Cutting(text, self.budget)
        cutting.run()
        previous = SimpleCommand("")
        for draft in drafts_of(cutting.tokens, self.budget, shell):
            if draft.is_piped:
                draft.inputs += _output_of(previous)
            command = self._positioned(_command(draft, previous if draft.is_piped else None), draft, text, around)
            if command.program or command.targets or command.sources or command.assignments or command.marks:
                if not self.budget.take_command():
                    return
                yield command
                previous = command if command.program or command.targets else previous
            yield from self._within(command, draft)
        if cutting.is_unclosed:
            yield from self._loose_commands(text, shell, around)

    def _within(self, command: SimpleCommand, draft: CommandDraft) -> Iterator[SimpleCommand]:
        for inner in [*draft.substitutions, *_inner_texts(command)]:
            if self.budget.is_spent:
                break
            yield from self.commands(inner, self.budget.enter_shell(draft.shell), command)
        for loose in [*_executed(command), *_deletes(command)]:
            if not self.budget.take_command():
                return
            yield self._of_loose(loose, command)
        yield from self._written_and_run(command, draft)

    def _written_and_run(self, command: SimpleCommand, draft: CommandDraft) -> Iterator[SimpleCommand]:
        """Yield the commands of a script that this text has written itself and now runs."""
        for name in _scripts_run(command).intersection(self.written):
            # Removed meanwhile: a script that runs itself must not recurse without end.
            script = self.written.pop(name)
            yield from self.commands(script, self.budget.enter_shell(draft.shell), command)
            for loose in deletes_in_text(script):
                yield self._of_loose(loose, command)
            self.written[name] = script
        for name in map(name_of, _written_by(command)):
            self.written[name] = "\n".join([self.written.get(name, ""), *_output_of(command)])

    def _positioned(
        self, command: SimpleCommand, draft: CommandDraft, text: str, around: SimpleCommand | None
    ) -> SimpleCommand:
        excerpt = text[draft.start or 0 : draft.end].strip()
        if around is None:
            return replace(command, excerpt=_shortened(excerpt), reach=draft.reach)
        excerpt = self._literal(excerpt, around.excerpt)
        return replace(command, excerpt=excerpt, reach=around.reach, is_elsewhere=_is_elsewhere(around))

    def _of_loose(self, loose: Loose, around: SimpleCommand) -> SimpleCommand:
        excerpt = self._literal(loose.excerpt, around.excerpt)
        command = _of_words(loose.words, around.shell, excerpt, around.reach)
        return replace(command, is_elsewhere=_is_elsewhere(around))

    def _literal(self, excerpt: str, otherwise: str) -> str:
        """Return the excerpt if the whole text contains it: a nested text may have lost its escapes."""
        excerpt = _shortened(excerpt)
        return excerpt if excerpt and excerpt in self.whole else otherwise

    def _loose_commands(
        self, text: str, shell: tuple[int, ...], around: SimpleCommand | None
    ) -> Iterator[SimpleCommand]:
        for piece in pieces_of(text):
            if not self.budget.take_command():
                return
            excerpt = self._literal(piece.excerpt, around.excerpt if around else "")
            reach = around.reach if around else piece.end
            if program := carried([word for word in piece.words if word not in RESERVED]):
                yield _of_words(program, shell, excerpt, reach)
            for delete in deletes_in_words(piece.words):
                yield _of_words(delete, shell, excerpt, reach)


def _is_elsewhere(around: SimpleCommand) -> bool:
    return around.is_elsewhere or around.program in ("ssh", "mosh")


def _shortened(excerpt: str) -> str:
    return excerpt[:_LONGEST_EXCERPT]


def _output_of(command: SimpleCommand) -> list[str]:
    """Return the texts that the command prints, as far as the script contains them."""
    if command.program in ("echo", "printf"):
        return [" ".join(command.operands)]
    return list(command.inputs)


def _command(draft: CommandDraft, source: SimpleCommand | None) -> SimpleCommand:
    words = carried(draft.words)
    is_listed = any(name_of(word) in ("xargs", "parallel") for word in draft.words[: len(draft.words) - len(words)])
    listed = _listed_by(source) if is_listed else []
    return SimpleCommand(
        program_of(words),
        (*words[1:], *listed),
        tuple(draft.targets),
        tuple(draft.appended),
        tuple(draft.inputs),
        tuple(draft.sources),
        tuple(assignments_of(draft.words)),
        draft.shell,
        _workdir_of(draft.words[: len(draft.words) - len(words)]),
        is_listed,
        tuple(_listed_by(source)) if source else (),
        draft.is_piped,
        draft.separator,
        tuple(draft.marks),
    )


def _workdir_of(carriers: Sequence[str]) -> str:
    """Return the folder that env -C or sudo -D runs a program in."""
    named = [following for option, following in pairwise(carriers) if option in ("-C", "-D", "--chdir")]
    named += [option.partition("=")[2] for option in carriers if option.startswith("--chdir=")]
    return named[-1] if named else ""


def program_of(words: Sequence[str]) -> str:
    # A name with blanks is a whole command, as in os.system("…").
    return "" if not words else words[0] if re.search(r"\s", words[0]) else name_of(words[0])


def _listed_by(source: SimpleCommand | None) -> list[str]:
    """Return the names that a listing program prints."""
    if source and source.program == "find":
        return [inside_of(start) for start in starts_of_find(source.arguments)]
    if source and source.program == "ls":
        return source.operands or [inside_of(".")]
    if source and source.program == "git" and {"ls-files", "diff", "status"} & set(source.arguments[:1]):
        return [inside_of(".")]
    if source and source.program in ("grep", "rg") and source.has_flag("lL", "--files-with-matches", "--files"):
        return [inside_of(start) for start in source.operands[1:] or ["."]]
    if source and source.program in ("sort", "uniq", "head", "tail", "grep", "tr", "tac") and source.fed:
        return list(source.fed)
    return [UNKNOWN]


def _inner_texts(command: SimpleCommand) -> Iterator[str]:
    """Yield the texts that this command runs as shell commands."""
    if re.search(r"\s", command.program):
        yield command.program
    elif command.program == "eval":
        yield " ".join(command.arguments)
    elif command.program in _SHELLS:
        yield from command.operands
        yield from command.inputs


def _deletes(command: SimpleCommand) -> Iterator[Loose]:
    """Yield deletes in arguments and input that only this program understands."""
    if command.program == "find":
        for words in _commands_of_find(command.arguments):
            yield from _deletes_in(words)
    elif command.program and not only_talks(command) and not _is_contained(command):
        yield from _deletes_in(command.arguments, command.inputs)


def _is_contained(command: SimpleCommand) -> bool:
    """Return whether the command runs in a new container that shares nothing with this machine."""
    is_new = command.program in ("docker", "podman") and command.arguments[:1] == ("run",)
    return is_new and not any(map(_SHARES.match, command.arguments))


def _executed(command: SimpleCommand) -> Iterator[Loose]:
    """Yield the commands that find runs on its results."""
    for words in _commands_of_find(command.arguments) if command.program == "find" else ():
        if program := carried(words):
            yield Loose(program, "", 0)


def _commands_of_find(arguments: tuple[str, ...]) -> Iterator[list[str]]:
    for position, argument in enumerate(arguments):
        if argument in ("-exec", "-execdir", "-ok", "-okdir"):
            found = inside_of(starts_of_find(arguments)[0])
            rest = takewhile(lambda word: word not in (";", "+"), arguments[position + 1 : position + 100])
            yield [found if word == "{}" else word for word in rest]


def _scripts_run(command: SimpleCommand) -> set[str]:
    """Return the names of files that the command may run as scripts."""
    is_runner = command.program in _SHELLS or _SCRIPT_RUNNERS.fullmatch(command.program)
    files = (*command.operands, *command.sources) if is_runner else ()
    return {name_of(word) for word in (command.program, *files)}


def _written_by(command: SimpleCommand) -> list[str]:
    if command.program not in ("cat", "echo", "printf", "tee"):
        return []
    return [*command.targets, *(command.operands if command.program == "tee" else ())]


def _deletes_in(words: Sequence[str], inputs: Sequence[str] = ()) -> Iterator[Loose]:
    for delete in deletes_in_words(list(words)):
        yield Loose(delete, "", 0)
    for text in (*words, *inputs):
        if re.search(r"[\s(]", text):
            yield from deletes_in_text(text)


def _of_words(words: list[str], shell: tuple[int, ...], excerpt: str, reach: int) -> SimpleCommand:
    return SimpleCommand(name_of(words[0]), tuple(words[1:]), shell=shell, excerpt=excerpt, reach=reach)
