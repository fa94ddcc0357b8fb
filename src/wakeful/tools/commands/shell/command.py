"""A simple command: a program with its words, as far as they can be read from the text of a script."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """A program with its arguments, the files that its output goes to, and the texts that it reads as far as they
    stand in the command.
    """

    program: str
    arguments: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    # Those of the targets that are written on at their end.
    appended: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    # Files that are given to it as its input.
    sources: tuple[str, ...] = ()
    assignments: tuple[str, ...] = ()
    # The shell that runs it, after those around that one: where one goes, those around it do not.
    shell: tuple[int, ...] = ()
    # The folder that it is told to run in, if another than that of its shell.
    workdir: str = ""
    # Its last operands come from the output of another program.
    is_listed: bool = False
    # What it reads from a pipe are names of files below these.
    fed: tuple[str, ...] = ()
    is_piped: bool = False
    # The operator behind it.
    separator: str = ";"
    # Reserved words before it, where a loop or a branch begins or ends.
    marks: tuple[str, ...] = ()
    # The piece of the whole text that it stands in, as it stands there, and where that ends.
    excerpt: str = ""
    reach: int = 0
    # Another machine runs it.
    is_elsewhere: bool = False
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
    return f"{folder}/*"
