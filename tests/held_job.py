"""A background command that ends when a test lets it. One that ended within its own turn would be reported there, and
would wake no session.
"""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class HeldJob:
    gate: Path

    def command(self, then: str) -> str:
        # It ends by itself, too: a test that fails must leave nothing running.
        return f"for i in $(seq 1200); do [ -e {self.gate} ] && break; sleep 0.05; done; {then}"

    def end(self) -> None:
        self.gate.touch()
