"""What a rule has found in one simple command."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from wakeful.tools.commands.gate.location import Location
from wakeful.tools.commands.shell.command import SimpleCommand


@dataclass(frozen=True, slots=True)
class Finding:
    kind: str
    # In words that finish the sentence "this command …".
    reason: str
    path: str | None = None


Rule = Callable[[SimpleCommand, Location], Iterator[Finding]]
