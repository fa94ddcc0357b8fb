"""Kills a process at planned moments, and keeps what it leaves besides its database: lines, each added in one write."""

import os
import signal
from collections.abc import Collection
from pathlib import Path


class Ledger:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def add(self, name: str, line: str) -> None:
        file = os.open(self.folder / name, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.write(file, f"{line}\n".encode())
        os.close(file)

    def lines(self, name: str) -> list[str]:
        file = self.folder / name
        return file.read_text().splitlines() if file.exists() else []


class Fate:
    """Kills this process at each planned moment, the first time that the moment comes."""

    def __init__(self, planned: Collection[str], ledger: Ledger) -> None:
        self._due = set(planned) - set(ledger.lines("deaths"))
        self._ledger = ledger

    def meet(self, moment: str) -> None:
        if moment in self._due:
            self._ledger.add("deaths", moment)
            os.kill(os.getpid(), signal.SIGKILL)
