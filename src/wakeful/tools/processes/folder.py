"""The files of one process. Whoever writes them may die half-way: what is not complete is not believed.

`output` is what it says. `started.<n>` is made by the nth spawn, or by whoever forbids that spawn. `exit` has the exit
code in its first line; while the process runs it only keeps the room for that. `stdin` is a named pipe, until it is
closed, and `holder` has the pid of the process that keeps it open. `typed` has what was typed into a shell.
"""

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from wakeful.model.ids import new_id
from wakeful.tools.processes.kernel.identity import Identity, identity_from
from wakeful.tools.processes.typed import TypedInput

_FENCE = "fenced\n"

# Who has made started.<n>: the wrapper, someone who forbade that spawn, nobody, or a wrapper that has not yet said
# who it is.
Start = Identity | Literal["fenced", "not_started", "unfinished"]


@dataclass(frozen=True, slots=True)
class ProcessFolder:
    path: Path

    @property
    def output(self) -> Path:
        return self.path / "output"

    @property
    def stdin(self) -> Path:
        return self.path / "stdin"

    @property
    def typed(self) -> TypedInput:
        return TypedInput(self.path / "typed")

    def make(self, *, with_stdin: bool) -> None:
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.output.touch(mode=0o600)
        if with_stdin and not self.stdin.exists():
            os.mkfifo(self.stdin, 0o600)

    def started(self, attempt: int) -> Start:
        try:
            content = self._start(attempt).read_text(errors="replace")
        except FileNotFoundError:
            return "not_started"
        if content == _FENCE:
            return "fenced"
        try:
            return identity_from(content) if content.endswith("\n") else "unfinished"
        except ValueError:
            # A file system that was not written out in time leaves such things behind.
            return "unfinished"

    def fence(self, attempt: int) -> bool:
        """Forbid this spawn, whenever it may come; false when it has started already."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        # A link appears with its content; a file that is created does not.
        draft = self.path / new_id("fence")
        draft.write_text(_FENCE)
        try:
            os.link(draft, self._start(attempt))
        except FileExistsError:
            return False
        finally:
            draft.unlink()
        return True

    def exit_code(self) -> int | None:
        """Look at the process first: while it runs, this says nothing."""
        try:
            content = (self.path / "exit").read_text(errors="replace")
        except FileNotFoundError:
            return None
        # What its room was reserved with stands behind it.
        found = re.match(r"(\d{1,3})\n", content)
        return int(found[1]) if found else None

    def holder(self) -> int | None:
        try:
            content = (self.path / "holder").read_text(errors="replace")
        except FileNotFoundError:
            return None
        return int(content) if re.fullmatch(r"\d+\n", content) else None

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)

    def _start(self, attempt: int) -> Path:
        return self.path / f"started.{attempt}"
