"""Finds Node.js. Run as a program, this file prints the folder of node and npm, or fails if there is none."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

# The oldest version that the official client supports.
_OLDEST = 22


def find_node() -> Path:
    """Return the folder of node and npm, preferring the system's to that in the virtual environment."""
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
    printed = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    major = printed.removeprefix("v").partition(".")[0]
    return int(major) if major.isdecimal() else 0


if __name__ == "__main__":
    try:
        print(find_node())
    except FileNotFoundError:
        sys.exit(1)
