"""The gate's rules, and what one of them finds in a simple command."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from wakeful.tools.commands.gate.location import Location
from wakeful.tools.commands.shell.command import SimpleCommand


@dataclass(frozen=True, slots=True)
class Finding:
    kind: str
    # Completes the sentence "this command …".
    reason: str
    path: str | None = None


Rule = Callable[[SimpleCommand, Location], Iterator[Finding]]
