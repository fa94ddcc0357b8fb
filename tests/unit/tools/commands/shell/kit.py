"""Shortcuts to what the gate reads in a shell text."""

from wakeful.tools.commands.shell.command import SimpleCommand
from wakeful.tools.commands.shell.words import simple_commands

# Each text with the commands that are read in it.
Read = list[tuple[str, list[str]]]


def commands_of(text: str) -> list[str]:
    return [_shown(command) for command in simple_commands(text)]


def _shown(command: SimpleCommand) -> str:
    """Return the words, then what else is known of the command, and last the operator after it unless it is `;`."""
    parts = [" ".join((*command.assignments, command.program, *command.arguments)).strip()]
    parts += [f">>{target}" if target in command.appended else f">{target}" for target in command.targets]
    parts += [f"<{source}" for source in command.sources] + [f"<<{text}" for text in command.inputs]
    parts += [f"shell {'.'.join(map(str, command.shell))}"] if command.shell else []
    parts += [f"in {command.workdir}"] if command.workdir else []
    parts += [f"fed {' '.join(command.fed)}"] if command.fed else []
    parts += [f"after {' '.join(command.marks)}"] if command.marks else []
    parts += ["listed"] if command.is_listed else []
    parts += ["piped"] if command.is_piped else []
    parts += ["elsewhere"] if command.is_elsewhere else []
    parts += ["cut"] if command.is_cut else []
    return " | ".join(parts) + ("" if command.separator == ";" else f" {command.separator}")
