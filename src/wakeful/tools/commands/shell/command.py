"""A simple command: a program with its words, as far as the text of a script shows them."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """A program with its arguments, the files that its output goes to, and the input that the script contains."""

    program: str
    arguments: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    # The targets that are appended to.
    appended: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    # Files that its input is redirected from.
    sources: tuple[str, ...] = ()
    assignments: tuple[str, ...] = ()
    # The numbers of the nested shells that run it, outermost first: a cd in one does not move those around it.
    shell: tuple[int, ...] = ()
    # The folder that a carrier makes it run in, if not that of its shell.
    workdir: str = ""
    # Its last operands are the output of another program.
    is_listed: bool = False
    # It reads names of files below these from a pipe.
    fed: tuple[str, ...] = ()
    is_piped: bool = False
    # The operator after it.
    separator: str = ";"
    # Reserved words before it that begin or end a loop or a branch.
    marks: tuple[str, ...] = ()
    # The literal piece of the whole text that contains it, and where that ends.
    excerpt: str = ""
    reach: int = 0
    # Another machine runs it.
    is_elsewhere: bool = False
    # It stands for the rest of a text that was too long to read.
    is_cut: bool = False

    def has_flag(self, letters: str, *names: str) -> bool:
        """Return whether a short option has one of these letters, or a long option is one of the names or a prefix."""
        return any(
            any(name.startswith(option.partition("=")[0]) for name in names)
            if option.startswith("--")
            else (re.match(r"-[A-Za-z.]", option) and set(option) & set(letters))
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
    """Return the operand for the contents of a folder without the folder itself."""
    return f"{folder}/*"
