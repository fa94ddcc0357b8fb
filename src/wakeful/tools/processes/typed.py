"""What was typed into a process, kept beside its output: later input is judged together with it."""

from dataclasses import dataclass
from pathlib import Path

KEPT = 64 * 1024
# The end of an input: what a shell has done before it, and which line it has half read, cannot be known any more.
LOST = "\x04"


@dataclass(frozen=True, slots=True)
class TypedInput:
    path: Path

    def read(self) -> str:
        """The newest of it. Begins with LOST when there was more."""
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return ""
        return (data if len(data) <= KEPT else _newest(data)).decode(errors="replace")

    def add(self, text: str) -> None:
        """Remember it, before the process gets it: what it has read must not be forgotten by a crash."""
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
    """From the beginning of a line on, as far as there is one."""
    mark = f"{LOST}\n".encode()
    rest = data[-KEPT + len(mark) :]
    return mark + rest[rest.find(b"\n") + 1 :]
