"""Finds the files that a program writes because an option or its script says so: archives, compilers, awk."""

import re
from collections.abc import Iterator
from itertools import pairwise

from wakeful.tools.commands.shell.command import SimpleCommand, inside_of
from wakeful.tools.commands.shell.words import only_talks

_TAR_FILE = re.compile(r"-?[A-Za-z]*f")
_OUTPUT = re.compile(r"-o|-[A-Za-z]*O|--out(?:put(?:-document|-file)?)?")
_OUTPUT_IN_ONE = re.compile(r"(?:-[A-Za-z]*[oO]|--output(?:-document|-file)?=)([/~.].*)")
_AWK_TARGET = re.compile(r'>\s*"([^"]+)"')
_DOWNLOADERS = ("curl", "wget", "sort")


def program_outputs(command: SimpleCommand) -> Iterator[str]:
    if command.program in ("tar", "bsdtar"):
        yield from _of_tar(command)
    elif command.program == "unzip":
        if command.has_flag("o"):
            yield inside_of(_value(command, "-d") or ".")
    elif command.program == "patch":
        folder = _value(command, "-d", "--directory")
        yield from [inside_of(folder)] if folder else command.operands[:1]
    elif command.program in ("awk", "gawk", "mawk"):
        yield from (target for text in command.operands for target in _AWK_TARGET.findall(text))
        if "inplace" in command.arguments:
            yield from command.operands
    elif command.program in _DOWNLOADERS or not only_talks(command):
        yield from (name for option, name in pairwise(command.arguments) if _OUTPUT.fullmatch(option))
        yield from (joined[1] for option in command.options if (joined := _OUTPUT_IN_ONE.fullmatch(option)))


def _of_tar(command: SimpleCommand) -> Iterator[str]:
    """Yield the archive that tar creates, or everything in the folder that it extracts into."""
    first = command.arguments[0] if command.arguments else ""
    letters = "".join(option for option in (first, *command.options) if not option.startswith("--"))
    if "x" in letters or command.has_flag("", "--extract", "--get"):
        if "k" not in letters and not command.has_flag("", "--keep-old-files", "--skip-old-files"):
            yield inside_of(_value(command, "-C", "--directory") or ".")
    elif "c" in letters or command.has_flag("", "--create"):
        yield from (name for option, name in pairwise(command.arguments) if _TAR_FILE.fullmatch(option))
        yield from [_value(command, "--file")] if _value(command, "--file") else []


def _value(command: SimpleCommand, *names: str) -> str:
    given = [following for option, following in pairwise(command.arguments) if option in names]
    given += [
        option.partition("=")[2] for option in command.options if option.startswith(tuple(f"{n}=" for n in names))
    ]
    return given[-1] if given else ""
