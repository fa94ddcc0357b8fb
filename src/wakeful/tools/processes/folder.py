"""The files of one process. Their writer may die at any point, so incomplete content is not trusted.

`output` is its output. The nth spawn creates `started.<n>`, or a server does to forbid that spawn. The first line of
`exit` is the exit code; until the process ends, the file only reserves disk space for it. `stdin` is a named pipe until
it is closed, and `holder` is the pid of the process that keeps it open. `typed` is what was typed into a shell.
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

# What started.<n> says: the wrapper's identity, that this spawn is forbidden, that no one has created it yet, or that
# the wrapper has not written its identity yet.
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
            # A crash of the machine can leave a file with lost content.
            return "unfinished"

    def fence(self, attempt: int) -> bool:
        """Forbid this spawn permanently. Return False if it has started already."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        # A link appears together with its content; a new file would be empty at first.
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
        """Return the exit code. Valid only after the process has ended."""
        try:
            content = (self.path / "exit").read_text(errors="replace")
        except FileNotFoundError:
            return None
        # The rest of the file is what reserved the space.
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
