"""Keeps what was typed into a process next to its output: the gate reads later input together with it."""

from dataclasses import dataclass
from pathlib import Path

KEPT = 64 * 1024
# Marks a gap: what the shell did before it, and which half of a line it has read, is unknown.
LOST = "\x04"


@dataclass(frozen=True, slots=True)
class TypedInput:
    path: Path

    def read(self) -> str:
        """Return the newest part. It begins with LOST if there was more."""
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return ""
        return (data if len(data) <= KEPT else _newest(data)).decode(errors="replace")

    def add(self, text: str) -> None:
        """Append the text. Call this before the process gets it, or a crash could forget what the process has read."""
        with self.path.open("ab") as file:
            self.path.chmod(0o600)
            file.write(text.encode(errors="replace"))
            size = file.tell()
        if size > 2 * KEPT:
            shorter = self.path.with_name("typed.new")
            shorter.write_bytes(_newest(self.path.read_bytes()))
            shorter.chmod(0o600)
            shorter.replace(self.path)


def _newest(data: bytes) -> bytes:
    """Return the newest part from the beginning of a line on, after a LOST mark."""
    mark = f"{LOST}\n".encode()
    rest = data[-KEPT + len(mark) :]
    return mark + rest[rest.find(b"\n") + 1 :]
