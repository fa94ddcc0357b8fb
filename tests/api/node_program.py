"""Where Node.js is. Run as a program, this file prints the folder of node and npm, and fails where there is none."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

# What the official client asks for.
_OLDEST = 22


def find_node() -> Path:
    """The folder of node and npm, the system's before those in our own environment."""
    for folder in _candidates():
        if (folder / "npm").exists() and _major_version(folder / "node") >= _OLDEST:
            return folder
    raise FileNotFoundError(f"no Node.js {_OLDEST} or newer on this machine; scripts/test installs one")


def _candidates() -> Iterator[Path]:
    if program := shutil.which("node"):
        yield Path(program).parent
    yield Path(sys.executable).parent


def _major_version(node: Path) -> int:
    if not os.access(node, os.X_OK):
        return 0
    told = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    major = told.removeprefix("v").partition(".")[0]
    return int(major) if major.isdecimal() else 0


if __name__ == "__main__":
    try:
        print(find_node())
    except FileNotFoundError:
        sys.exit(1)
